package io.gpudra.bench.micro;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.crds.model.node.Inventory;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Judging a node's devices by a user's condition; times are for one device. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ConditionTimes {
  private static final int GPUS = 8;

  /** Their devices are more than any condition remembers. */
  private static final int NODES = 4096;

  private static final String OF_MODEL =
      "device.memory >= quantity('40Gi') && device.architecture in ['Ampere', 'Hopper']";

  /** Loops take the longest of what is allowed. */
  private static final String LOOP = "%1$s.all(a, %1$s.all(b, a == b))";

  /** Some 7,700 of 8,000 steps; the devices of these inventories differ in what it reads. */
  private static final String DEAREST =
      LOOP.formatted(ones(27)) + " && device.index >= 0 && device.driverVersion != version('1')";

  /** 438 of the 500 steps that are allowed where each device is judged by itself. */
  private static final String DEAREST_APART =
      LOOP.formatted(ones(6)) + " && device.uuid != 'GPU-0'";

  private final SampleDriver sample =
      SampleDriver.with(
          ImmutableMap.of(
              "model", SampleDriver.where(1, OF_MODEL),
              "device", SampleDriver.where(1, OF_MODEL + " && device.uuid != 'GPU-0'"),
              "dearest", SampleDriver.where(1, DEAREST),
              "apart", SampleDriver.where(1, DEAREST_APART)));
  private final DevicePredicate ofModel = condition("model");
  private final DevicePredicate ofDevice = condition("device");
  private final DevicePredicate dearest = condition("dearest");
  private final DevicePredicate dearestApart = condition("apart");
  private final ImmutableList<Inventory> inventories = inventories();
  private int next;

  private DevicePredicate condition(String parameters) {
    return sample
        .pending(parameters)
        .parameters()
        .alternatives()
        .get(0)
        .subRequests()
        .get(0)
        .devicePredicate();
  }

  private static ImmutableList<Inventory> inventories() {
    ImmutableList.Builder<Inventory> all = ImmutableList.builder();
    for (int i = 0; i < NODES; i++) {
      Inventory node = new SampleNode("node-" + i, GPUS, 60).inventory();
      all.add(
          new Inventory(
              node.node(),
              "535." + i,
              node.cudaDriverVersion(),
              node.gpus(),
              node.prepared(),
              node.service()));
    }
    return all.build();
  }

  private static String ones(int count) {
    return "[" + "1,".repeat(count - 1) + "1]";
  }

  /** Conditions know inventories by identity, so an equal one is a new one. */
  private Inventory changed() {
    next = (next + 1) % NODES;
    return inventories.get(next).with(new Inventory.Service.Serving());
  }

  /** Evaluates the expression. */
  @Benchmark
  @OperationsPerInvocation(GPUS)
  public long newDevice() {
    return ofDevice.matching(changed());
  }

  /** Evaluates an expression that is just not refused. */
  @Benchmark
  @OperationsPerInvocation(GPUS)
  public long dearestExpression() {
    return dearest.matching(changed());
  }

  /** Evaluates one that is just not refused where each device is judged by itself. */
  @Benchmark
  @OperationsPerInvocation(GPUS)
  public long dearestApart() {
    return dearestApart.matching(changed());
  }

  /** Finds that such devices were judged before. */
  @Benchmark
  @OperationsPerInvocation(GPUS)
  public long knownModel() {
    return ofModel.matching(changed());
  }

  /** Finds that this node was judged before. */
  @Benchmark
  @OperationsPerInvocation(GPUS)
  public long knownInventory() {
    return ofModel.matching(inventories.get(0));
  }
}
