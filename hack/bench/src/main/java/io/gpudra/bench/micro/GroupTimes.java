package io.gpudra.bench.micro;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Search and commit for the largest group, which fills all nodes. A controller meets such a group
 * once in a while, so code that never ran is measured.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(5)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
public class GroupTimes {
  private static final int NODES = 128;
  private static final int GPUS = 8;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Waiter GROUP =
      new Waiter(
          new WaitRank(0, Instant.EPOCH),
          "uid",
          WorkKey.gate(new ObjectKey("default", "group/all")));

  private final SampleDriver sample =
      SampleDriver.with(
          ImmutableMap.of("big", SampleDriver.where(1, "device.memory >= quantity('40Gi')")));
  private final GpuGroupPlacer placer =
      new GpuGroupPlacer(
          sample.ledgers(),
          () -> new GrantAudit(1, Instant.EPOCH),
          new GroupTurns(
              sample.ledgers(),
              new GroupTurns.Times(PATIENCE, PATIENCE),
              System::nanoTime,
              () -> Instant.EPOCH,
              (work, delay) -> {}));
  private ImmutableList<Member<GpuRequest>> members = ImmutableList.of();

  /** Free nodes, and the pods of the group. */
  @Setup(Level.Trial)
  public void prepare() {
    for (int i = 0; i < NODES; i++) {
      sample.ledgers().observe(new SampleNode("node-" + i, GPUS, 60).inventory());
    }
    members =
        IntStream.range(0, NODES * GPUS)
            .mapToObj(this::member)
            .collect(ImmutableList.toImmutableList());
  }

  private Member<GpuRequest> member(int number) {
    String pod = "pod-" + number;
    return new Member<>(
        new PodRef("default", pod, "uid-of-" + pod),
        ImmutableList.of(sample.pending("big", pod)),
        NodeDemand.NONE,
        Optional.empty());
  }

  /** As in the pass in which the group fits. */
  @Benchmark
  public GroupPlacing place() {
    GroupPlacing placing = placer.place(members, ImmutableSet::of, GROUP);
    if (placing instanceof GroupPlacing.Placed) {
      return placing;
    }
    throw new IllegalStateException("not placed: " + placing);
  }
}
