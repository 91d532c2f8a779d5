package io.gpudra.controller.view.dryrun;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Groups for which no release is found. */
class GroupReleaseSearchTest {
  private static final QueryDeadline FAR = QueryDeadline.ofAPerson(() -> 0);
  private static final QueryDeadline OVER = new QueryDeadline(() -> 1, /* end= */ 0);

  private static final int HOLDS = 60;

  /** Of the clock: a few before the first claim is given back, and some for each after it. */
  private static final int READS = 20;

  /** Less than one for each claim. */
  private static final int FEW = 10;

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

  @Test
  void theSearchOfTheGroupEndsAtTheDeadline() {
    AtomicInteger reads = new AtomicInteger();
    QueryDeadline beforeTheSearch =
        new QueryDeadline(() -> reads.getAndIncrement() > 0 ? 1 : 0, /* end= */ 0);

    assertThat(search(members(3, i -> "{'memoryLimit':'13Gi'}"), beforeTheSearch))
        .isEqualTo(new ReleaseRemedy.NotWithin(0));
  }

  @Test
  void nothingIsGivenBackAfterTheDeadline() {
    for (int i = 0; i < HOLDS; i++) {
      assertThat(cluster.has("share-" + i, "worker-1", "{'memoryLimit':'256Mi'}")).isTrue();
    }
    AtomicInteger reads = new AtomicInteger();
    QueryDeadline soon =
        new QueryDeadline(() -> reads.incrementAndGet() > READS ? 1 : 0, /* end= */ 0);

    assertThat(search(members(2, i -> "{}"), soon)).isEqualTo(new ReleaseRemedy.NotWithin(0));
    assertThat(reads).hasValueBetween(READS + 1, READS + FEW);
  }

  @Test
  void noFurtherNodeIsEmptiedAfterTheDeadline() {
    ImmutableList<Member<GpuRequest>> three = members(3, i -> "{}");
    List<BlockingClaim> asked = new ArrayList<>();
    cluster.node("worker-2", 1).has("held", "worker-2", "{}");

    assertThat(
            GroupReleaseSearch.of(
                cluster.cluster().ledgers().snapshot(),
                GpuGroupPlacer.request(three),
                asked::add,
                OVER))
        .isEqualTo(new ReleaseRemedy.NotWithin(0));
    assertThat(asked).isEmpty();
  }
}
