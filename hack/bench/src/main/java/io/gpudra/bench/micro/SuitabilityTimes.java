package io.gpudra.bench.micro;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.gpu.GpuRequest;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Judging all nodes that a scheduler may offer, for a pod with two claims: a third of the nodes is
 * free, a third half full, a third full.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SuitabilityTimes {
  private static final int NODES = 128;
  private static final int GPUS = 8;

  private final SampleDriver sample =
      SampleDriver.with(
          ImmutableMap.of(
              "two-big",
              SampleDriver.where(
                  2, "device.architecture == 'Ampere' && device.memory >= quantity('40Gi')"),
              "any",
              SampleDriver.where(1, "device.migEnabled == false")));
  private final ImmutableList<PendingClaim<GpuRequest>> claims =
      ImmutableList.of(sample.pending("two-big"), sample.pending("any"));
  private final ImmutableSet<String> nodes = fill();

  private ImmutableSet<String> fill() {
    ImmutableSet.Builder<String> names = ImmutableSet.builder();
    for (int i = 0; i < NODES; i++) {
      SampleNode node = new SampleNode("node-" + i, GPUS, 60);
      sample.ledgers().observe(node.inventory());
      for (int device = 0; device < GPUS / 2 * (i % 3); device++) {
        sample.hold(node.name(), node.device(device));
      }
      names.add(node.name());
    }
    return names.build();
  }

  /** As for each pod that waits. */
  @Benchmark
  public NodeSuitability judge() {
    return sample.driver().suitability(claims, nodes);
  }
}
