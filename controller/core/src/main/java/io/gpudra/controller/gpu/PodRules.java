package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The problems of claims that result from their use by one pod (api.md 2.8, M12 to M18). */
final class PodRules {
  private final String driver;
  private final ImmutableList<PendingClaim<GpuRequest>> claims;
  private final ImmutableMap<ClaimUid, GpuRequest> requests;

  /** Each handle is read once, for all containers that use its claim. */
  private final Map<ClaimUid, Use> uses = new HashMap<>();

  /** Each container is checked once, for all claims. */
  private final Map<Container, Together> together = new HashMap<>();

  /** The claims of one container. */
  private record Together(ImmutableSet<ClaimUid> claims, boolean twoShares, boolean twoMps) {}

  /** The kinds of devices that a claim gives to a container. */
  private record Use(boolean share, boolean mps) {

    static Use of(DeviceSubRequest subRequest) {
      return new Use(subRequest.kind() instanceof DeviceKind.Share, isMps(subRequest.sharing()));
    }

    static Use of(GrantedPart part) {
      return new Use(part.part() instanceof Part.Share, isMps(part.sharing()));
    }

    private Use and(Use other) {
      return new Use(share || other.share, mps || other.mps);
    }

    private static boolean isMps(SharingStrategy sharing) {
      return !(sharing instanceof SharingStrategy.TimeSlicing);
    }
  }

  /**
   * The claims of one pod.
   *
   * @param driver our name
   */
  PodRules(String driver, ImmutableList<PendingClaim<GpuRequest>> claims) {
    this.driver = driver;
    this.claims = claims;
    this.requests =
        claims.stream().collect(toImmutableMap(one -> one.claim().uid(), PendingClaim::parameters));
  }

  /** The problems by claim, without claims that have none. */
  ImmutableMap<ClaimUid, ImmutableList<String>> problems() {
    ImmutableMap.Builder<ClaimUid, ImmutableList<String>> all = ImmutableMap.builder();
    for (PendingClaim<GpuRequest> claim : claims) {
      ImmutableList<String> problems = problems(claim);
      if (!problems.isEmpty()) {
        all.put(claim.claim().uid(), problems);
      }
    }
    return all.buildOrThrow();
  }

  private ImmutableList<String> problems(PendingClaim<GpuRequest> claim) {
    Stream<String> inside =
        claim.parameters().insideEntry().flatMap(entry -> inside(claim, entry)).stream();
    return Stream.concat(inside, ofContainers(claim)).collect(toImmutableList());
  }

  private Optional<String> inside(PendingClaim<GpuRequest> claim, String name) {
    Optional<PodUse.Entry> entry = claim.pod().entry(name);
    if (entry.isEmpty()) {
      List<String> names = claim.pod().entries().stream().map(PodUse.Entry::name).toList();
      String hint = NameSuggestion.hint(name, names);
      return Optional.of(
          "spec.insideClaim: the pod has no resourceClaims entry \"%s\"%s"
              .formatted(name, hint.isEmpty() ? "" : ", " + hint));
    }
    if (entry.get().claim().filter(claim.claim()::equals).isPresent()) {
      return Optional.of("spec.insideClaim: \"%s\" is this claim itself".formatted(name));
    }
    return entry
        .get()
        .driver()
        .filter(other -> !other.equals(driver))
        .map(other -> "spec.insideClaim: \"%s\" is a claim of driver %s".formatted(name, other));
  }

  private Stream<String> ofContainers(PendingClaim<GpuRequest> claim) {
    return claim.pod().containers().stream()
        .map(container -> ofContainer(container, claim))
        .flatMap(Optional::stream);
  }

  private Optional<String> ofContainer(Container container, PendingClaim<GpuRequest> claim) {
    Together used = together.computeIfAbsent(container, one -> together(claim.pod().usedBy(one)));
    if (!used.claims().contains(claim.claim().uid())) {
      return Optional.empty();
    }
    Use own = use(claim.claim());
    if (own.share() && used.twoShares()) {
      return Optional.of(
          "container \"%s\" uses two shares; a container can use one".formatted(container.name()));
    }
    return own.mps() && used.twoMps()
        ? Optional.of(
            "container \"%s\" uses two claims with MPS; a process can talk to one MPS server only"
                .formatted(container.name()))
        : Optional.empty();
  }

  private Together together(List<ClaimFacts> used) {
    return new Together(
        used.stream().map(ClaimFacts::uid).collect(toImmutableSet()),
        areTwo(used, Use::share),
        areTwo(used, Use::mps));
  }

  private boolean areTwo(List<ClaimFacts> used, Predicate<Use> what) {
    return used.stream().map(this::use).filter(what).count() > 1;
  }

  private Use use(ClaimFacts claim) {
    return uses.computeIfAbsent(
        claim.uid(),
        unused -> all(claim).reduce(new Use(/* share= */ false, /* mps= */ false), Use::and));
  }

  private Stream<Use> all(ClaimFacts claim) {
    GpuRequest request = requests.get(claim.uid());
    return request == null
        ? claim.allocation().flatMap(ClaimFacts.Granted::ours).stream().flatMap(PodRules::granted)
        : request.alternatives().stream()
            .flatMap(alternative -> alternative.subRequests().stream())
            .map(Use::of);
  }

  private static Stream<Use> granted(ResourceHandle handle) {
    return HandleCodec.decode(handle.data()) instanceof DecodedHandle.Decoded withGrant
        ? withGrant.grant().devices().stream().map(GrantedDevice::part).map(Use::of)
        : Stream.empty();
  }
}
