package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.A30;
import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.search.GpuCandidate;
import io.gpudra.controller.allocation.search.SearchProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

/** GPUs are compared once, and their numbers in each search. */
class CandidateKindsTest {
  private final NodeLedger free =
      Worlds.node(
          ImmutableList.of(
              gpu(0, A100, cuttable()), gpu(1, A30, cuttable()), gpu(2, A100, cuttable())));
  private final NodeLedger used = after(free, claim("a", mig("1g.5gb", 1)));

  private static List<Integer> kinds(ImmutableList<GpuCandidate> candidates) {
    return candidates.stream().map(GpuCandidate::kind).toList();
  }

  @Test
  void gpusThatAreEquivalentHaveOneNumber() {
    assertThat(kinds(GpuCandidate.of(free))).containsExactly(0, 1, 0);
    assertThat(kinds(GpuCandidate.of(used))).containsExactly(0, 1, 2);
  }

  @Test
  void gpusWithoutTheirHoldersAreEquivalentAgain() {
    SearchProblem problem = SearchProblem.of(used, ImmutableList.of());

    assertThat(kinds(problem.emptied().sites())).containsExactly(0, 1, 0);
  }

  @Test
  void gpusThatAreFreeAreNotComparedAgain() {
    SearchProblem problem = SearchProblem.of(free, ImmutableList.of());

    assertThat(problem.emptied().sites()).isSameAs(problem.sites());
  }
}
