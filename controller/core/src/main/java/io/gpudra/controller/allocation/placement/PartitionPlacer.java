package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.mig.MigLayout;
import io.gpudra.controller.allocation.placement.PartitionShortage.Missing;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.BatchAssignment;
import io.gpudra.controller.allocation.search.GpuCandidate;
import io.gpudra.controller.allocation.search.LinkedGpuSwap;
import io.gpudra.controller.allocation.search.PlacementSearch;
import io.gpudra.controller.allocation.search.PlacementSearch.Finding;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.search.SearchProblem;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Places the claims of one pod on one node when some request more than a number of whole GPUs.
 * Confined to one thread.
 */
final class PartitionPlacer {
  private final NodeLedger ledger;
  private final PodRequest request;
  private final ImmutableList<ClaimRequest> open;
  private final ImmutableList<ClaimRequest> takers;
  private final SearchBudget budget;
  private final SearchProblem problem;
  private final Supplier<SearchProblem> emptied;

  PartitionPlacer(
      NodeLedger ledger,
      PodRequest request,
      ImmutableList<ClaimRequest> open,
      SearchBudget budget) {
    this.ledger = ledger;
    this.request = request;
    this.open = open;
    this.takers = open.stream().filter(claim -> !claim.monitors()).collect(toImmutableList());
    this.budget = budget;
    this.problem = SearchProblem.of(ledger, takers);
    this.emptied = Suppliers.memoize(problem::emptied);
  }

  /** Devices for all open claims at once. */
  Placement place() {
    Optional<Placement.DoesNotFit> obstacle = obstacle();
    if (obstacle.isPresent()) {
      return obstacle.get();
    }
    Finding finding = PlacementSearch.find(problem, budget);
    return finding instanceof Finding.Found found ? fits(found) : refused(finding);
  }

  /** The refusal of {@link #place}, if there is one. */
  Optional<Placement.DoesNotFit> refusal() {
    Optional<Placement.DoesNotFit> obstacle = obstacle();
    if (obstacle.isPresent()) {
      return obstacle;
    }
    Finding finding = PlacementSearch.find(problem, budget);
    return finding instanceof Finding.Found ? Optional.empty() : Optional.of(refused(finding));
  }

  /** Whether {@link #place} fits. */
  boolean hasRoom() {
    return obstacle().isEmpty() && PlacementSearch.find(problem, budget) instanceof Finding.Found;
  }

  private Optional<Placement.DoesNotFit> obstacle() {
    Optional<UnsuitableReason> node = NodeFilters.ofNode(ledger);
    if (node.isPresent()) {
      return Optional.of(new Placement.DoesNotFit(each(open, claim -> node)));
    }
    budget.nextNode();
    ImmutableMap<ClaimUid, UnsuitableReason> named =
        each(
            open,
            claim ->
                NodeFilters.ofClaim(ledger, claim)
                    .or(() -> parentIsElsewhere(claim))
                    .or(() -> nothingToSee(claim)));
    return named.isEmpty() ? Optional.empty() : Optional.of(new Placement.DoesNotFit(named));
  }

  private Optional<UnsuitableReason> parentIsElsewhere(ClaimRequest claim) {
    return claim
        .inside()
        .filter(parent -> !ledger.holds().containsKey(parent.uid()))
        .filter(parent -> open.stream().noneMatch(one -> one.uid().equals(parent.uid())))
        .map(
            parent ->
                StatedReason.of(
                    Kind.PARENT_ELSEWHERE,
                    "its parent claim %s has no device on this node",
                    parent.ref()));
  }

  private Optional<UnsuitableReason> nothingToSee(ClaimRequest claim) {
    if (!claim.monitors()) {
      return Optional.empty();
    }
    Optional<UnsuitableReason> full = NodeFilters.ofMonitors(ledger, open.size() - takers.size());
    if (full.isPresent()) {
      return full;
    }
    if (!budget.spend() || !problem.candidateIndex().mayAsk(claim.only(), budget)) {
      return Optional.of(NodeRefusal.tooMany());
    }
    return problem.candidateIndex().gpus(claim.only()) == 0
        ? Optional.of(shortage(Kind.NEVER_ROOM, claim, ImmutableList.of(claim)))
        : Optional.empty();
  }

  private Placement fits(Finding.Found found) {
    ImmutableMap.Builder<ClaimUid, ImmutableList<GrantedDevice>> devices = ImmutableMap.builder();
    open.stream()
        .filter(ClaimRequest::monitors)
        .forEach(claim -> devices.put(claim.uid(), ImmutableList.of()));
    BatchAssignment.of(LinkedGpuSwap.of(found.gpus(), ledger.inventory(), budget))
        .asMap()
        .forEach((claim, own) -> devices.put(claim, ImmutableList.copyOf(own)));
    return new Placement.Fits(devices.buildOrThrow());
  }

  private Placement.DoesNotFit refused(Finding together) {
    if (together instanceof Finding.TooMany) {
      return refused(claim -> Optional.of(NodeRefusal.tooMany()));
    }
    ImmutableMap<ClaimUid, UnsuitableReason> alone = each(takers, this::alone);
    return alone.isEmpty() ? refused(this::notTogether) : new Placement.DoesNotFit(alone);
  }

  private Optional<UnsuitableReason> notTogether(ClaimRequest claim) {
    return SharedParentCheck.of(claim, open)
        .refusal(problem)
        .or(() -> Optional.of(new NodeRefusal.NotTogether(claim.ref(), request.refs())));
  }

  private Optional<UnsuitableReason> alone(ClaimRequest claim) {
    Finding now = PlacementSearch.find(problem.alone(claim), budget);
    if (now instanceof Finding.Found) {
      return Optional.empty();
    }
    return Optional.of(now instanceof Finding.TooMany ? NodeRefusal.tooMany() : lack(claim));
  }

  private UnsuitableReason lack(ClaimRequest claim) {
    boolean ever =
        !(PlacementSearch.find(emptied.get().alone(claim), budget) instanceof Finding.Nothing);
    Finding apart = apart(ever ? problem : emptied.get(), claim);
    return ever
        ? shortage(apart instanceof Finding.Found ? Kind.NOT_CONNECTED : Kind.NO_ROOM, claim)
        : lackForEver(claim, apart);
  }

  /** A search that did not end is not reported as lasting. */
  private UnsuitableReason lackForEver(ClaimRequest claim, Finding apart) {
    if (apart instanceof Finding.Found) {
      return shortage(Kind.NEVER_CONNECTED, claim);
    }
    Finding tolerating = tolerating(claim);
    if (tolerating instanceof Finding.Found) {
      return shortage(Kind.TAINTED, claim);
    }
    return apart instanceof Finding.TooMany || tolerating instanceof Finding.TooMany
        ? NodeRefusal.tooMany()
        : shortage(Kind.NEVER_ROOM, claim);
  }

  private PartitionShortage shortage(Kind cause, ClaimRequest claim) {
    return shortage(cause, claim, problem.family(claim));
  }

  private PartitionShortage shortage(
      Kind cause, ClaimRequest claim, ImmutableList<ClaimRequest> family) {
    Missing missing = new Missing(ledger.inventory(), problem.candidateIndex(), budget);
    return new PartitionShortage(cause, ledger, claim, family, missing);
  }

  /** Found if only taints keep the claim from the node. */
  private Finding tolerating(ClaimRequest claim) {
    return ledger.inventory().gpus().stream().anyMatch(Gpu::isTainted)
        ? PlacementSearch.find(emptied.get().alone(claim).with(claim.toleratingAll()), budget)
        : new Finding.Nothing();
  }

  /** Found if the devices fail only because they differ in an attribute or are not connected. */
  private Finding apart(SearchProblem asked, ClaimRequest claim) {
    ImmutableList<RequestAlternative> apart =
        claim.alternatives().stream()
            .filter(way -> !way.deviceConstraints().isAnyhow())
            .map(way -> new RequestAlternative(way.subRequests(), DeviceConstraints.ANYHOW))
            .collect(toImmutableList());
    return apart.isEmpty()
        ? new Finding.Nothing()
        : PlacementSearch.find(asked.alone(claim).with(claim.with(apart)), budget);
  }

  private Placement.DoesNotFit refused(Function<ClaimRequest, Optional<UnsuitableReason>> reason) {
    return new Placement.DoesNotFit(each(takers, reason));
  }

  private static ImmutableMap<ClaimUid, UnsuitableReason> each(
      ImmutableList<ClaimRequest> claims,
      Function<ClaimRequest, Optional<UnsuitableReason>> reason) {
    ImmutableMap.Builder<ClaimUid, UnsuitableReason> reasons = ImmutableMap.builder();
    for (ClaimRequest claim : claims) {
      reason.apply(claim).ifPresent(refusal -> reasons.put(claim.uid(), refusal));
    }
    return reasons.buildOrThrow();
  }

  /**
   * Claims of a pod that are carved out of the same claim and together may request more than a GPU
   * has.
   *
   * @param profiles of their MIG devices, with repetitions
   */
  record SharedParentCheck(ClaimRequest claim, ImmutableList<String> profiles) {

    static SharedParentCheck of(ClaimRequest claim, List<ClaimRequest> all) {
      return new SharedParentCheck(
          claim,
          all.stream()
              .filter(other -> claim.inside().isPresent() && other.inside().equals(claim.inside()))
              .filter(other -> other.alternatives().size() == 1)
              .flatMap(other -> other.alternatives().get(0).subRequests().stream())
              .flatMap(SharedParentCheck::profiles)
              .collect(toImmutableList()));
    }

    private static Stream<String> profiles(DeviceSubRequest subRequest) {
      return subRequest.kind() instanceof DeviceKind.Mig mig && mig.instance().isEmpty()
          ? mig.gpuInstance().stream()
              .flatMap(one -> Collections.nCopies(subRequest.count(), one).stream())
          : Stream.empty();
    }

    /** Empty when some GPU of the node has the memory slices for all of them. */
    Optional<UnsuitableReason> refusal(SearchProblem problem) {
      List<MigLayout> possible =
          problem.sites().stream()
              .map(GpuCandidate::layout)
              .filter(this::offersAll)
              .distinct()
              .toList();
      return profiles.isEmpty()
              || possible.isEmpty()
              || possible.stream().anyMatch(layout -> wanted(layout) <= layout.memory())
          ? Optional.empty()
          : Optional.of(refusal(possible.get(0)));
    }

    private UnsuitableReason refusal(MigLayout layout) {
      return StatedReason.of(
          Kind.NOT_TOGETHER,
          "spec.insideClaim: the pod asks %s of \"%s\"; together they need %s of %s memory slices",
          String.join(" + ", profiles),
          claim.inside().orElseThrow().ref().name(),
          wanted(layout),
          layout.memory());
    }

    private boolean offersAll(MigLayout layout) {
      return layout.profiles().stream().map(MigProfile::name).toList().containsAll(profiles);
    }

    private int wanted(MigLayout layout) {
      return profiles.stream()
          .flatMap(name -> layout.profiles().stream().filter(one -> one.name().equals(name)))
          .mapToInt(MigProfile::size)
          .sum();
    }
  }
}
