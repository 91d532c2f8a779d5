package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.LiveObjects.Written;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.apis.ResourceV1alpha2Api;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads claims from the overlay and writes them by conditional patches.
 *
 * <p>A write first checks the newest known version. If it already has the wanted state, the result
 * is DONE without a call. If it has another resourceVersion than the caller saw, the result is
 * CONFLICT without a call, since no patch with the seen version can succeed any more, not even one
 * in flight. A claim that was created again, according to the watch or the API server's rejection
 * of the UID, is GONE.
 *
 * @param mayWriteStatus if false, status patches are not sent but end UNCLEAR, so that the caller
 *     tries again
 */
record KubeClaimStore(
    ResourceV1alpha2Api api,
    ObjectCache<CachedClaim> cache,
    ClaimOverlay overlay,
    LiveObjects<V1alpha2ResourceClaim, CachedClaim> live,
    ClaimPatches patches,
    BooleanSupplier mayWriteStatus)
    implements ClaimStore {
  private static final Logger log = LoggerFactory.getLogger(KubeClaimStore.class);

  private record Change(
      boolean ofStatus, Predicate<ClaimFacts> alreadySo, Function<CachedClaim, V1Patch> patch) {}

  /** Terms of the cache's index. */
  static Collection<String> indexed(CachedClaim claim) {
    String byClass = classTerm(claim.facts().className());
    return claim
        .facts()
        .parameters()
        .map(ref -> List.of(byClass, parametersTerm(ref)))
        .orElse(List.of(byClass));
  }

  private static String classTerm(String className) {
    return "class/" + className;
  }

  private static String parametersTerm(ParametersRef ref) {
    return "parameters/" + ref.kind() + "/" + ref.namespace().orElse("") + "/" + ref.name();
  }

  @Override
  public Optional<ClaimFacts> get(ClaimRef claim) {
    return overlay.newest(claim).map(kept -> kept.value().facts());
  }

  @Override
  public Optional<ClaimFacts> live(ClaimRef claim) throws ApiUnavailableException {
    try {
      Optional<Kept<CachedClaim>> found =
          live.get(api.readNamespacedResourceClaim(claim.name(), claim.namespace())::buildCall);
      found.ifPresent(overlay::answer);
      return found.map(kept -> kept.value().facts());
    } catch (IOException e) {
      throw new ApiUnavailableException("read claim " + claim, e);
    }
  }

  @Override
  public ImmutableList<ClaimFacts> liveList() throws ApiUnavailableException {
    try {
      ImmutableList.Builder<ClaimFacts> found = ImmutableList.builder();
      live.list(
          kept -> {
            overlay.answer(kept);
            found.add(onlyOnce(kept));
          });
      return found.build();
    } catch (IOException e) {
      throw new ApiUnavailableException("list all claims", e);
    }
  }

  /** Uses the cached facts if they are the same, to save memory. */
  private ClaimFacts onlyOnce(Kept<CachedClaim> listed) {
    ClaimFacts facts = listed.value().facts();
    return overlay
        .newest(facts.ref())
        .map(kept -> kept.value().facts())
        .filter(facts::equals)
        .orElse(facts);
  }

  @Override
  public ImmutableList<ClaimRef> ofClass(String className) {
    return refs(classTerm(className));
  }

  @Override
  public ImmutableList<ClaimRef> ofParameters(ParametersRef parameters) {
    return refs(parametersTerm(parameters));
  }

  private ImmutableList<ClaimRef> refs(String term) {
    return cache.keysOf(term).stream()
        .flatMap(key -> cache.get(key).stream())
        .map(kept -> kept.value().facts().ref())
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public Optional<PodRef> ownerPod(ClaimFacts claim) {
    return overlay.newest(claim.ref()).flatMap(kept -> kept.value().ownerPod());
  }

  @Override
  public WriteOutcome addFinalizer(ClaimFacts seen) {
    return write(seen, new Change(false, ClaimFacts::hasFinalizer, patches::addFinalizer));
  }

  @Override
  public WriteOutcome removeFinalizer(ClaimFacts seen) {
    return write(seen, new Change(false, now -> !now.hasFinalizer(), patches::removeFinalizer));
  }

  @Override
  public WriteOutcome allocate(
      ClaimFacts seen, ResourceHandle handle, Optional<PodRef> reserveFor) {
    return write(
        seen,
        new Change(
            true,
            now -> carries(now, handle) && reserved(now, reserveFor),
            claim -> patches.allocate(claim, handle, reserveFor)));
  }

  private static boolean carries(ClaimFacts now, ResourceHandle handle) {
    return now.allocation().flatMap(ClaimFacts.Granted::ours).filter(handle::equals).isPresent();
  }

  private static boolean reserved(ClaimFacts now, Optional<PodRef> pod) {
    return pod.map(p -> now.reservedFor().contains(p.uid())).orElse(true);
  }

  @Override
  public WriteOutcome deallocate(ClaimFacts seen, boolean keepDriverName) {
    return write(
        seen,
        new Change(
            true,
            now -> now.allocation().isEmpty() && !now.deallocationRequested(),
            claim -> patches.deallocate(claim, keepDriverName)));
  }

  @Override
  public WriteOutcome requestDeallocation(ClaimFacts seen) {
    return write(
        seen,
        new Change(
            true,
            now -> now.allocation().isEmpty() || now.deallocationRequested(),
            patches::requestDeallocation));
  }

  private WriteOutcome write(ClaimFacts seen, Change change) {
    Optional<CachedClaim> newest = overlay.newest(seen.ref()).map(Kept::value);
    Optional<WriteOutcome> known =
        WriteOutcome.withoutCall(seen, newest.map(CachedClaim::facts), change.alreadySo());
    if (known.isPresent()) {
      return known.get();
    }
    if (change.ofStatus() && !mayWriteStatus.getAsBoolean()) {
      return WriteOutcome.of(Kind.UNCLEAR);
    }
    return send(seen.ref(), change.ofStatus(), change.patch().apply(newest.orElseThrow()));
  }

  private WriteOutcome send(ClaimRef claim, boolean ofStatus, V1Patch patch) {
    try {
      Written<CachedClaim> answer = live.patch(built(claim, ofStatus, patch), ClaimPatches.FORMAT);
      if (answer instanceof Written.Stored<CachedClaim> stored) {
        return stored(stored.object());
      }
      return refused(claim, ((Written.Refused<CachedClaim>) answer).answer());
    } catch (IOException e) {
      log.info("write unclear claim={} status={} why={}", claim, ofStatus, String.valueOf(e));
      return WriteOutcome.of(Kind.UNCLEAR);
    }
  }

  private LiveObjects.Built built(ClaimRef claim, boolean ofStatus, V1Patch patch) {
    return ofStatus
        ? api.patchNamespacedResourceClaimStatus(claim.name(), claim.namespace(), patch)::buildCall
        : api.patchNamespacedResourceClaim(claim.name(), claim.namespace(), patch)::buildCall;
  }

  private WriteOutcome stored(Kept<CachedClaim> stored) {
    if (removed(stored.value())) {
      overlay.removed(stored);
      return WriteOutcome.of(Kind.DONE);
    }
    overlay.answer(stored);
    return WriteOutcome.done(stored.value().facts());
  }

  /** A deleted object disappears with its last finalizer, but the response still contains it. */
  private static boolean removed(CachedClaim claim) {
    return claim.facts().deleting() && !claim.held();
  }

  private static WriteOutcome refused(ClaimRef claim, Answer answer) {
    Kind kind = WriteResponseMapping.kind(answer);
    if (kind == Kind.REJECTED) {
      log.warn("write rejected claim={} answer={}", claim, answer);
    } else {
      log.debug("write not stored claim={} code={}", claim, answer.code());
    }
    return WriteOutcome.of(kind);
  }
}
