package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.process.BigCluster.Waiting;
import io.gpudra.scenarios.process.ProcessUsage;
import java.io.IOException;
import java.nio.file.Path;

/** A controller that starts on a big cluster. */
public final class Scale implements Benchmark {
  /** The first finds a machine that has yet to give its memory away. */
  private static final int STARTS = 3;

  private final Workbench bench;

  public Scale(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = bench.place(name());
    Path kubeconfig = place.resolve("kubeconfig");
    try (Subprocess server = BigCluster.start(bench, place, kubeconfig, Waiting.PODS)) {
      server.mustLive();
      Sample ready = new Sample();
      for (int i = 1; i < STARTS; i++) {
        try (Started controller = start(place, kubeconfig)) {
          ready.add(controller.ready());
        }
      }
      try (Started last = start(place, kubeconfig)) {
        ready.add(last.ready());
        return ImmutableList.<Figure>builder()
            .add(Figure.of("ready after", ready.median(), "s").atMost(10))
            .addAll(last.figures())
            .build();
      }
    }
  }

  private Started start(Path place, Path kubeconfig) throws IOException {
    Endpoint http = Endpoint.free();
    long begin = System.nanoTime();
    Path log = place.resolve("controller.log");
    return new Started(bench.controller().start(log, http.controller(kubeconfig)), http, begin);
  }

  /** A controller that was started at a time of {@link System#nanoTime}. */
  private record Started(Subprocess process, Endpoint http, long begin) implements AutoCloseable {

    /** Waits for it; answers in seconds. */
    double ready() throws IOException, InterruptedException {
      http.await("/readyz", process);
      return seconds();
    }

    private double seconds() {
      return (System.nanoTime() - begin) / 1e9;
    }

    ImmutableList<Figure> figures() throws IOException, InterruptedException {
      ProcessUsage then = process.usage();
      int claims = BigCluster.GRANTED + BigCluster.WAITING;
      Endpoint.await(
          () -> http.looks("claims") >= claims && http.looks("contexts") >= BigCluster.WAITING,
          "a look at every claim and every waiting pod",
          process);
      double looked = seconds();
      ProcessUsage all = process.usage();
      return ImmutableList.of(
          Figure.of("processor time until then", then.cpuSeconds(), "s"),
          Figure.of("memory then", then.memoryMiB(), "MiB"),
          Figure.of("leads, has looked at every claim and waiting pod after", looked, "s"),
          Figure.of("processor time until then", all.cpuSeconds(), "s"),
          Figure.of("most memory", all.peakMemoryMiB(), "MiB").atMost(512));
    }

    @Override
    public void close() {
      process.close();
    }
  }
}
