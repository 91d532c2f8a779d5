package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.process.BigCluster.Waiting;
import io.gpudra.scenarios.process.ProcessUsage;
import java.io.IOException;
import java.nio.file.Path;

/** A controller that starts on a big cluster. */
public final class Scale implements Benchmark {
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
      Endpoint http = Endpoint.free();
      long begin = System.nanoTime();
      try (Subprocess controller =
          bench.controller().start(place.resolve("controller.log"), http.controller(kubeconfig))) {
        return measure(controller, http, begin);
      }
    }
  }

  private static ImmutableList<Figure> measure(Subprocess controller, Endpoint http, long begin)
      throws IOException, InterruptedException {
    http.await("/readyz", controller);
    double ready = (System.nanoTime() - begin) / 1e9;
    ProcessUsage then = controller.usage();
    int claims = BigCluster.GRANTED + BigCluster.WAITING;
    Endpoint.await(
        () -> http.looks("claims") >= claims && http.looks("contexts") >= BigCluster.WAITING,
        "a look at every claim and every waiting pod",
        controller);
    double looked = (System.nanoTime() - begin) / 1e9;
    ProcessUsage all = controller.usage();
    return ImmutableList.of(
        Figure.of("ready after", ready, "s").atMost(10),
        Figure.of("processor time until then", then.cpuSeconds(), "s"),
        Figure.of("memory then", then.memoryMiB(), "MiB"),
        Figure.of("leads, has looked at every claim and waiting pod after", looked, "s"),
        Figure.of("processor time until then", all.cpuSeconds(), "s"),
        Figure.of("most memory", all.peakMemoryMiB(), "MiB").atMost(512));
  }
}
