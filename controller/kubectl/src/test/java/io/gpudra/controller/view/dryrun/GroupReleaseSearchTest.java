package io.gpudra.controller.view.dryrun;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Groups for which no release is found. */
class GroupReleaseSearchTest {
  private static final QueryDeadline FAR = QueryDeadline.ofAPerson(() -> 0);
  private static final QueryDeadline OVER = new QueryDeadline(() -> 1, /* end= */ 0);

  private final SmallCluster cluster = new SmallCluster().node("worker-1", 2);

  private ImmutableList<Member<GpuRequest>> members(int count, IntFunction<String> spec) {
    return IntStream.range(0, count)
        .mapToObj(i -> member("m-" + i, spec.apply(i)))
        .collect(ImmutableList.toImmutableList());
  }

  private Member<GpuRequest> member(String name, String spec) {
    return new Member<>(
        new PodRef(SmallCluster.TEAM, name, "uid-of-pod-" + name),
        cluster.pending(cluster.waits(name, spec)),
        NodeDemand.NONE,
        Optional.empty());
  }

  private ReleaseRemedy search(ImmutableList<Member<GpuRequest>> members, QueryDeadline deadline) {
    return GroupReleaseSearch.of(
        cluster.cluster().ledgers().snapshot(),
        GpuGroupPlacer.request(members),
        every -> true,
        deadline);
  }

  @Test
  void withoutTimeNothingIsSaidOfReleases() {
    ImmutableList<Member<GpuRequest>> three = members(3, i -> "{}");
    assertThat(search(three, OVER)).isEqualTo(new ReleaseRemedy.NotWithin(0));
    assertThat(search(three, FAR)).isEqualTo(new ReleaseRemedy.NoneHelps());
  }

  @Test
  void membersOfTooManyKindsAreUndecided() {
    assertThat(search(members(9, i -> "{'memoryLimit':'%dMi'}".formatted(256 + i)), FAR))
        .isEqualTo(new ReleaseRemedy.NotWithin(0));
  }
}
