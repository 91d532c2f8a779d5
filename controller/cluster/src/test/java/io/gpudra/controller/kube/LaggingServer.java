package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * An API server without HTTP under the real cache and overlay of claims: its answers come at once,
 * its watch when it is told to. The scheduler is part of it.
 */
final class LaggingServer implements ClaimStore, ContextStore {
  final ObjectCache<CachedClaim> cache = new ObjectCache<>(KubeClaimStore::indexed);
  final ClaimOverlay overlay = new ClaimOverlay(cache);
  private final String driver;
  private final Requeuer requeuer;
  private final Map<ClaimRef, ClaimFacts> claims = new HashMap<>();
  private final Map<ObjectKey, ContextFacts> contexts = new HashMap<>();
  private final Deque<Runnable> watch = new ArrayDeque<>();
  private long version;

  /** What changes of a claim. */
  record State(
      boolean deleting,
      boolean requested,
      boolean hasFinalizer,
      Optional<Granted> allocation,
      ImmutableSet<String> reservedFor) {

    static State of(ClaimFacts claim) {
      return new State(
          claim.deleting(),
          claim.deallocationRequested(),
          claim.hasFinalizer(),
          claim.allocation(),
          claim.reservedFor());
    }

    State withFinalizer(boolean now) {
      return new State(deleting, requested, now, allocation, reservedFor);
    }

    State with(Optional<Granted> granted, ImmutableSet<String> consumers) {
      return new State(
          deleting, requested && granted.isPresent(), hasFinalizer, granted, consumers);
    }

    State ending() {
      return new State(true, true, hasFinalizer, allocation, ImmutableSet.of());
    }

    ClaimFacts on(ClaimFacts claim, long version) {
      return Some.of(claim)
          .version(Long.toString(version))
          .deleting(deleting)
          .requested(requested)
          .withFinalizer(hasFinalizer)
          .allocation(allocation)
          .mayStillBePrepared(false)
          .reservedFor(reservedFor.toArray(String[]::new))
          .facts();
    }
  }

  LaggingServer(String driver, Requeuer requeuer) {
    this.driver = driver;
    this.requeuer = requeuer;
    overlay.setListener(new ClaimEvents(requeuer::claimSeen, requeuer::claimGone));
  }

  /** Brings the next event of the watch; false when there is none. */
  boolean deliver() {
    Optional<Runnable> next = Optional.ofNullable(watch.poll());
    next.ifPresent(Runnable::run);
    return next.isPresent();
  }

  void create(ClaimFacts claim) {
    store(State.of(claim).on(claim, ++version));
  }

  /** Its last consumer is gone, and it is deleted. */
  void end(ClaimRef ref) {
    store(State.of(claim(ref)).ending().on(claim(ref), ++version));
  }

  private ClaimFacts claim(ClaimRef ref) {
    return Optional.ofNullable(claims.get(ref)).orElseThrow();
  }

  void put(ContextFacts context) {
    contexts.put(context.key(), context);
    requeuer.contextChanged(context.key());
  }

  void remove(ObjectKey context) {
    contexts.remove(context);
    requeuer.contextChanged(context);
  }

  private Kept<CachedClaim> store(ClaimFacts claim) {
    Kept<CachedClaim> kept =
        new Kept<>(
            ObjectCache.key(claim.ref().namespace(), claim.ref().name()),
            claim.uid().value(),
            claim.resourceVersion(),
            new CachedClaim(claim, claim.hasFinalizer(), ImmutableList.of()));
    if (removed(claim)) {
      claims.remove(claim.ref());
      watch.add(() -> gone(kept));
    } else {
      claims.put(claim.ref(), claim);
      watch.add(() -> changed(kept));
    }
    return kept;
  }

  private static boolean removed(ClaimFacts claim) {
    return claim.deleting() && !claim.hasFinalizer();
  }

  private void changed(Kept<CachedClaim> now) {
    cache.put(now);
    overlay.changed(now);
    cache.completeUpTo(now.resourceVersion());
  }

  private void gone(Kept<CachedClaim> last) {
    Optional<Kept<CachedClaim>> known = cache.get(last.key());
    known.ifPresent(cache::remove);
    known.ifPresent(overlay::gone);
    cache.completeUpTo(last.resourceVersion());
  }

  private WriteOutcome write(ClaimFacts seen, UnaryOperator<State> change) {
    ClaimFacts now = claims.get(seen.ref());
    if (now == null) {
      return WriteOutcome.of(Kind.GONE);
    }
    if (!now.resourceVersion().equals(seen.resourceVersion())) {
      return WriteOutcome.of(Kind.CONFLICT);
    }
    Kept<CachedClaim> stored = store(change.apply(State.of(now)).on(now, ++version));
    if (removed(stored.value().facts())) {
      overlay.removed(stored);
      return WriteOutcome.of(Kind.DONE);
    }
    overlay.answer(stored);
    return WriteOutcome.done(stored.value().facts());
  }

  @Override
  public Optional<ClaimFacts> get(ClaimRef claim) {
    return overlay.newest(claim).map(kept -> kept.value().facts());
  }

  @Override
  public Optional<ClaimFacts> live(ClaimRef claim) {
    return Optional.ofNullable(claims.get(claim));
  }

  @Override
  public ImmutableList<ClaimFacts> liveList() {
    return ImmutableList.copyOf(claims.values());
  }

  @Override
  public ImmutableList<ClaimRef> ofClass(String className) {
    return ImmutableList.of();
  }

  @Override
  public ImmutableList<ClaimRef> ofParameters(ParametersRef parameters) {
    return ImmutableList.of();
  }

  @Override
  public Optional<PodRef> ownerPod(ClaimFacts claim) {
    return Optional.empty();
  }

  @Override
  public WriteOutcome addFinalizer(ClaimFacts seen) {
    return write(seen, state -> state.withFinalizer(true));
  }

  @Override
  public WriteOutcome removeFinalizer(ClaimFacts seen) {
    return write(seen, state -> state.withFinalizer(false));
  }

  /** The scheduler binds the pod and removes its context. */
  @Override
  public WriteOutcome allocate(
      ClaimFacts seen, ResourceHandle handle, Optional<PodRef> reserveFor) {
    ImmutableSet<String> consumers =
        reserveFor.stream().map(PodRef::uid).collect(ImmutableSet.toImmutableSet());
    Optional<Granted> granted = Optional.of(new Granted(driver, Optional.of(handle)));
    reserveFor.ifPresent(
        pod -> watch.add(() -> remove(new ObjectKey(pod.namespace(), pod.name()))));
    return write(seen, state -> state.with(granted, consumers));
  }

  @Override
  public WriteOutcome deallocate(ClaimFacts seen, boolean keepDriverName) {
    return write(seen, state -> state.with(Optional.empty(), ImmutableSet.of()));
  }

  @Override
  public WriteOutcome requestDeallocation(ClaimFacts seen) {
    throw new UnsupportedOperationException("only for pods at a gate");
  }

  @Override
  public Optional<ContextFacts> get(ObjectKey context) {
    return Optional.ofNullable(contexts.get(context));
  }

  @Override
  public ImmutableList<ContextFacts> all() {
    return ImmutableList.copyOf(contexts.values());
  }

  /** The scheduler selects another node when the selected one is refused. */
  @Override
  public Kind apply(ContextFacts seen, StatusPatch patch) {
    ContextFacts now = contexts.get(seen.key());
    if (now == null) {
      return Kind.GONE;
    }
    ImmutableMap.Builder<String, ImmutableSet<String>> entries = ImmutableMap.builder();
    patch.unsuitableNodes().forEach((name, nodes) -> entries.put(name, ImmutableSet.copyOf(nodes)));
    ImmutableMap<String, ImmutableSet<String>> refused = entries.buildOrThrow();
    Optional<String> other =
        now.potentialNodes().stream()
            .filter(node -> refused.values().stream().noneMatch(nodes -> nodes.contains(node)))
            .findFirst();
    put(
        new ContextFacts(
            now.pod(),
            now.uid(),
            Long.toString(++version),
            now.created(),
            false,
            other.or(now::selectedNode),
            now.potentialNodes(),
            refused));
    return Kind.DONE;
  }
}
