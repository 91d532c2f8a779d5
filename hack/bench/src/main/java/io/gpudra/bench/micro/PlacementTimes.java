package io.gpudra.bench.micro;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Choosing devices for the three claims of a pod on one node. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PlacementTimes {

  /** What the node has. */
  @Param({"8", "16"})
  public int devices;

  private Batches batches = Batches.on(Byte.SIZE);

  /** Makes the pods. */
  @Setup
  public void prepare() {
    batches = Batches.on(devices);
  }

  /** As it is done. */
  @Benchmark
  @OperationsPerInvocation(Batches.COUNT)
  public void exact(Blackhole sink) {
    batches.requests().forEach(request -> sink.consume(batches.exact(request)));
  }

  /** As it could be done, with an answer of the same form. */
  @Benchmark
  @OperationsPerInvocation(Batches.COUNT)
  public void firstFit(Blackhole sink) {
    batches.requests().forEach(request -> sink.consume(batches.firstFit(request)));
  }
}
