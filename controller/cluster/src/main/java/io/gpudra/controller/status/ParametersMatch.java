package io.gpudra.controller.status;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.placement.AvailableCount;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Gpu;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The match between a request and the nodes.
 *
 * @param apart whether each node was evaluated, not one of each kind
 * @param devices the number of suitable devices
 * @param nodes the number of nodes that could serve it
 * @param undecided whether a node that was not counted may be suitable
 * @param unasked the number of nodes that were not evaluated, because the budget was spent
 * @param nearestNode the nearest other node and its reason; empty when all nodes could
 */
record ParametersMatch(
    ImmutableList<RequestAlternative> wanted,
    boolean apart,
    int devices,
    int nodes,
    boolean undecided,
    int unasked,
    String nearestNode) {

  private static final NamespaceAudience NO_NAMESPACE = new NamespaceAudience("");

  static ParametersMatch of(
      GpuNodes gpuNodes,
      ImmutableList<RequestAlternative> wanted,
      boolean apart,
      SearchBudget budget) {
    return new Count(anyClaim(wanted), apart, budget).of(gpuNodes);
  }

  /** Whether the count is exact. */
  boolean isDecided() {
    return !undecided && unasked == 0;
  }

  /** A claim without a name. */
  static ClaimRequest anyClaim(ImmutableList<RequestAlternative> wanted) {
    return new ClaimRequest(
            new ClaimUid(""),
            new ClaimRef("", ""),
            wanted,
            Optional.empty(),
            AllocationPolicy.PACK,
            ImmutableList.of(),
            OptionalLong.empty(),
            Optional.empty(),
            /* mayStillBePrepared= */ false,
            /* demand= */ Optional.empty())
        .anonymous(0);
  }

  /** The number of suitable devices of one node; empty if the budget is too small to count. */
  static OptionalInt supply(GpuNodes.Kind kind, ClaimRequest claim, SearchBudget budget) {
    ImmutableList<Gpu> gpus = kind.ledger().inventory().gpus();
    int all = 0;
    long steps = 0;
    for (RequestAlternative way : claim.alternatives()) {
      for (DeviceSubRequest subRequest : way.subRequests()) {
        int places = places(subRequest, gpus);
        all += places;
        steps += (long) places * subRequest.devicePredicate().steps();
      }
    }
    budget.asks(all);
    budget.nextNode();
    return steps == 0 || budget.mayAsk(steps)
        ? OptionalInt.of(AvailableCount.of(kind.ledger(), claim))
        : OptionalInt.empty();
  }

  /** The number of devices that the condition may tell apart. */
  private static int places(DeviceSubRequest subRequest, ImmutableList<Gpu> gpus) {
    return subRequest.kind() instanceof DeviceKind.Mig mig
            && subRequest.devicePredicate().differsBetweenPlaces()
        ? gpus.stream()
            .flatMap(gpu -> gpu.model().migProfiles().stream())
            .filter(profile -> mig.isOf(profile.name()))
            .mapToInt(profile -> profile.starts().size())
            .sum()
        : gpus.size();
  }

  /** One node of each kind, or each node. */
  static Stream<GpuNodes.Kind> asked(GpuNodes gpuNodes, boolean apart) {
    return apart ? gpuNodes.each() : gpuNodes.kinds().stream();
  }

  /** The count for one claim, node by node. */
  private static final class Count {
    private final ClaimRequest claim;
    private final PodRequest alone;
    private final boolean apart;
    private final SearchBudget budget;
    private int devices;
    private int nodes;
    private int unasked;
    private boolean undecided;
    private int shortfall = Integer.MAX_VALUE;
    private String nearest = "";

    Count(ClaimRequest claim, boolean apart, SearchBudget budget) {
      this.claim = claim;
      this.alone = new PodRequest(ImmutableList.of(claim));
      this.apart = apart;
      this.budget = budget;
    }

    ParametersMatch of(GpuNodes gpuNodes) {
      asked(gpuNodes, apart).forEach(this::add);
      return new ParametersMatch(
          claim.alternatives(), apart, devices, nodes, undecided, unasked, nearest);
    }

    private void add(GpuNodes.Kind kind) {
      OptionalInt supply = budget.isOver() ? OptionalInt.empty() : supply(kind, claim, budget);
      if (supply.isEmpty()) {
        unasked += kind.nodes();
        return;
      }
      devices += kind.nodes() * supply.getAsInt();
      Optional<UnsuitableReason> no =
          PodPlacer.refusal(kind.ledger(), alone, budget)
              .flatMap(refusal -> refusal.reasons().values().stream().findFirst());
      if (no.isEmpty()) {
        nodes += kind.nodes();
      } else {
        refused(kind, no.get());
      }
    }

    private void refused(GpuNodes.Kind kind, UnsuitableReason reason) {
      undecided |= reason.kind().doubt() == UnsuitableReason.Doubt.UNDECIDED;
      if (reason.shortfall() < shortfall) {
        shortfall = reason.shortfall();
        nearest =
            StatusTexts.bounded(
                "nearest is %s: %s".formatted(kind.first(), reason.text(NO_NAMESPACE)), MAX_TEXT);
      }
    }
  }

  private static final int MAX_TEXT = 1_024;
}
