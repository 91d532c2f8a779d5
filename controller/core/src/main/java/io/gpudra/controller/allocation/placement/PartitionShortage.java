package io.gpudra.controller.allocation.placement;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.CandidateIndex;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.search.SearchProblem;
import io.gpudra.controller.allocation.search.TopologyGroup;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A node lacks devices for a claim that requests more than whole GPUs, now or forever.
 *
 * @param family the claim and its parents in the pod
 */
record PartitionShortage(
    Kind kind,
    NodeLedger ledger,
    ClaimRequest claim,
    ImmutableList<ClaimRequest> family,
    int shortfall)
    implements NodeRefusal {
  private static final int MAX_CHARACTERS = 1_024;

  PartitionShortage(
      Kind kind,
      NodeLedger ledger,
      ClaimRequest claim,
      ImmutableList<ClaimRequest> family,
      Missing missing) {
    this(
        kind,
        ledger,
        claim,
        family,
        kind.distance().shortfall() + (kind.lasting() ? missing.of(claim) : 0));
  }

  @Override
  public PartitionShortage on(NodeLedger other) {
    return new PartitionShortage(kind, other, claim, family, shortfall);
  }

  @Override
  public long bytes() {
    return family.stream().mapToLong(RequestSize::of).sum();
  }

  @Override
  public String text(NamespaceAudience reader) {
    SearchProblem problem = SearchProblem.of(ledger, family);
    SearchBudget budget = new SearchBudget();
    int alternatives = claim.alternatives().size();
    String all =
        IntStream.range(0, alternatives)
            .mapToObj(
                i ->
                    (alternatives == 1 ? "" : "alternative " + (i + 1) + ": ")
                        + new NearMissText(problem, claim, claim.alternatives().get(i), budget)
                            .text())
            .collect(Collectors.joining("; "));
    return all.length() <= MAX_CHARACTERS ? all : all.substring(0, MAX_CHARACTERS - 1) + "…";
  }

  /** The number of devices that a claim would lack on a node with all devices free. */
  record Missing(Inventory inventory, CandidateIndex candidateIndex, SearchBudget budget) {

    /** The number for the alternative that lacks the fewest. */
    int of(ClaimRequest claim) {
      return claim.alternatives().stream().mapToInt(this::of).min().orElse(0);
    }

    private int of(RequestAlternative way) {
      return connected(way).stream()
          .mapToInt(group -> of(way, group))
          .min()
          .orElseGet(() -> of(way, TopologyGroup.NONE));
    }

    /**
     * Connected GPUs only, if required; other attributes that must match do not count. Empty if
     * there are too many to find.
     */
    private ImmutableList<TopologyGroup> connected(RequestAlternative way) {
      DeviceConstraints connected =
          new DeviceConstraints(way.deviceConstraints().topology(), ImmutableSet.of());
      budget.nextNode();
      ImmutableList<TopologyGroup> groups = candidateIndex.groups(connected, budget);
      return connected.isAnyhow() || !budget.spent() ? groups : ImmutableList.of();
    }

    private int of(RequestAlternative way, TopologyGroup group) {
      return way.subRequests().stream().mapToInt(subRequest -> of(subRequest, group)).sum();
    }

    private int of(DeviceSubRequest subRequest, TopologyGroup group) {
      int wanted = subRequest.all() ? 1 : subRequest.count();
      int most =
          subRequest.kind() instanceof DeviceKind.Mig mig
              ? most(mig, group)
              : Long.bitCount(gpus(subRequest) & group.gpus());
      return Math.max(0, wanted - most);
    }

    /** None of those that the budget does not cover. */
    private long gpus(DeviceSubRequest subRequest) {
      return candidateIndex.mayAsk(subRequest, budget) ? candidateIndex.gpus(subRequest) : 0;
    }

    /** The maximum number, regardless of the condition and of existing MIG devices. */
    private int most(DeviceKind.Mig mig, TopologyGroup group) {
      int most = 0;
      for (long gpus = group.gpus() & all(); gpus != 0; gpus &= gpus - 1) {
        GpuModel model = inventory.gpus().get(Long.numberOfTrailingZeros(gpus)).model();
        for (MigProfile one : model.migProfiles()) {
          most += mig.isOf(one.name()) ? one.most() : 0;
        }
      }
      return most;
    }

    private long all() {
      int gpus = Math.min(Long.SIZE, inventory.gpus().size());
      return gpus == 0 ? 0 : -1L >>> (Long.SIZE - gpus);
    }
  }
}
