package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.process.BigCluster.Waiting;
import io.gpudra.scenarios.process.ProcessUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A controller that starts on a big cluster, without gates and with pods at the gate. */
public final class Scale implements Benchmark {
  /** The first finds a machine that has yet to give its memory away. */
  private static final int STARTS = 3;

  /** Pods at the gate are asked again and again. */
  private static final Duration REST = Duration.ofSeconds(30);

  private final Workbench bench;

  /**
   * What is measured.
   *
   * @param loop the loop of the pods that wait
   * @param options of the controller
   * @param prefix of the figures
   */
  private record Variant(
      Waiting waiting, String loop, ImmutableList<String> options, String prefix) {

    Figure figure(String what, double value, String unit) {
      return Figure.of(prefix + what, value, unit);
    }
  }

  private static final ImmutableList<Variant> VARIANTS =
      ImmutableList.of(
          new Variant(Waiting.PODS, "contexts", ImmutableList.of(), ""),
          // The pods keep their gates while they are measured.
          new Variant(
              Waiting.GATED_PODS,
              "gates",
              ImmutableList.of("--gates", "--gate-patience=1h"),
              "pods at the gate: "));

  public Scale(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    ImmutableList.Builder<Figure> figures = ImmutableList.builder();
    for (Variant variant : VARIANTS) {
      figures.addAll(measure(variant));
    }
    return figures.build();
  }

  private ImmutableList<Figure> measure(Variant variant) throws IOException, InterruptedException {
    Path place = bench.place(name());
    Path kubeconfig = place.resolve("kubeconfig");
    try (Subprocess server = BigCluster.start(bench, place, kubeconfig, variant.waiting())) {
      server.mustLive();
      Sample ready = new Sample();
      for (int i = 1; i < STARTS; i++) {
        try (Started controller = start(variant, place, kubeconfig)) {
          ready.add(controller.ready());
        }
      }
      try (Started last = start(variant, place, kubeconfig)) {
        ready.add(last.ready());
        return ImmutableList.<Figure>builder()
            .add(variant.figure("ready after", ready.median(), "s").atMost(10))
            .addAll(last.figures(variant))
            .build();
      }
    }
  }

  private Started start(Variant variant, Path place, Path kubeconfig) throws IOException {
    Endpoint http = Endpoint.free();
    ImmutableList<String> options =
        ImmutableList.<String>builder()
            .addAll(http.controller(kubeconfig))
            .addAll(variant.options())
            .build();
    long begin = System.nanoTime();
    return new Started(
        bench.controller().start(place.resolve("controller.log"), options), http, begin);
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

    ImmutableList<Figure> figures(Variant variant) throws IOException, InterruptedException {
      ProcessUsage then = process.usage();
      int claims = BigCluster.GRANTED + BigCluster.WAITING;
      Endpoint.await(
          () -> http.looks("claims") >= claims && http.looks(variant.loop()) >= BigCluster.WAITING,
          "a look at every claim and every waiting pod",
          process);
      double looked = seconds();
      ProcessUsage all = process.usage();
      Thread.sleep(REST.toMillis());
      double memory = process.usage().peakMemoryMiB();
      return ImmutableList.of(
          variant.figure("processor time until then", then.cpuSeconds(), "s"),
          variant.figure("memory then", then.memoryMiB(), "MiB"),
          variant.figure("leads, has looked at every claim and waiting pod after", looked, "s"),
          variant.figure("processor time until then", all.cpuSeconds(), "s"),
          variant.figure("most memory", memory, "MiB").atMost(512));
    }

    @Override
    public void close() {
      process.close();
    }
  }
}
