package io.gpudra.controller.view.dryrun;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.gpu.GpuRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pods whose remedy takes long to find. */
class HardReleaseRemedyTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final int SHARES = 12;
  private static final int NODES = 40;

  private final SmallCluster cluster = new SmallCluster().node("worker-1", 2);
  private final ImmutableList<PendingClaim<GpuRequest>> pod;

  HardReleaseRemedyTest() {
    for (int i = 0; i < SHARES; i++) {
      cluster.has("share-" + i, "worker-1", "{'memoryLimit':'4Gi'}");
    }
    pod = cluster.pending(cluster.waits("big", "{'count':2}"));
  }

  /** A clock on which each look takes a second. */
  private static LongSupplier slow(AtomicInteger looks) {
    return () -> looks.getAndIncrement() * SECOND;
  }

  private ReleaseRemedy search(QueryDeadline deadline) {
    return ReleaseSearch.of(cluster.cluster(), pod, cluster.nodes(), any -> true, deadline);
  }

  @Test
  void aPersonIsToldAfterFiveSecondsWhatWasFoundOutUntilThen() {
    AtomicInteger looks = new AtomicInteger();

    ReleaseRemedy remedy = search(QueryDeadline.ofAPerson(slow(looks)));

    assertThat(remedy).isInstanceOf(ReleaseRemedy.NotWithin.class);
    assertThat(looks.get()).isLessThan(30);
    assertThat(search(QueryDeadline.ofAPerson(() -> 0)))
        .isInstanceOfSatisfying(
            ReleaseRemedy.Release.class, all -> assertThat(all.blockers()).hasSize(SHARES));
  }

  @Test
  void searchesOfOneCommandShareTheirTime() {
    AtomicInteger looks = new AtomicInteger();
    QueryDeadline deadline = QueryDeadline.ofAPerson(slow(looks));
    search(deadline);
    int ofTheFirst = looks.get();

    assertThat(search(deadline)).isEqualTo(new ReleaseRemedy.NotWithin(0));

    assertThat(looks.get() - ofTheFirst).isLessThan(10);
  }

  /** Searches nodes that are too small, on a clock on which the time is over after some looks. */
  private ReleaseRemedy searchManyNodes(
      AtomicInteger looks, int inTime, List<BlockingClaim> proposed) {
    ImmutableSet<String> small =
        IntStream.range(0, NODES)
            .mapToObj(i -> "small-" + i)
            .collect(ImmutableSet.toImmutableSet());
    small.forEach(name -> cluster.node(name, 1).has("held-on-" + name, name, "{}"));
    return ReleaseSearch.of(
        cluster.cluster(),
        pod,
        small,
        proposed::add,
        new QueryDeadline(() -> looks.incrementAndGet() > inTime ? 1 : 0, /* end= */ 0));
  }

  @Test
  void noFurtherNodeIsReadAfterTheDeadline() {
    List<BlockingClaim> proposed = new ArrayList<>();

    assertThat(searchManyNodes(new AtomicInteger(), /* inTime= */ 5, proposed))
        .isEqualTo(new ReleaseRemedy.NotWithin(0));
    assertThat(proposed).hasSize(5);
  }

  @Test
  void noFurtherNodeIsSearchedAfterTheDeadline() {
    AtomicInteger looks = new AtomicInteger();
    int inTime = NODES + 10;

    assertThat(searchManyNodes(looks, inTime, new ArrayList<>()))
        .isEqualTo(new ReleaseRemedy.NotWithin(0));
    assertThat(looks).hasValueLessThan(inTime + 5);
  }
}
