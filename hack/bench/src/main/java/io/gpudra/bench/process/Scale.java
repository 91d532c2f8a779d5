package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.scenarios.process.ProcessUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A controller that starts on a big cluster. */
public final class Scale implements Benchmark {
  private static final ImmutableList<String> SERVER_MEMORY = ImmutableList.of("-Xmx6g");

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
    Files.deleteIfExists(kubeconfig);
    try (Subprocess server = Subprocess.start(server(kubeconfig), place.resolve("server.log"))) {
      Endpoint.await(() -> Files.exists(kubeconfig), "the big cluster", server);
      Endpoint http = Endpoint.free();
      long begin = System.nanoTime();
      try (Subprocess controller =
          bench.controller().start(place.resolve("controller.log"), http.controller(kubeconfig))) {
        return measure(controller, http, begin);
      }
    }
  }

  private ImmutableList<String> server(Path kubeconfig) {
    return ImmutableList.<String>builder()
        .add(Binary.java())
        .addAll(SERVER_MEMORY)
        .add("-cp", System.getProperty("java.class.path", ""), BigCluster.class.getName())
        .add(bench.root().toString(), kubeconfig.toString())
        .build();
  }

  private static ImmutableList<Figure> measure(Subprocess controller, Endpoint http, long begin)
      throws IOException, InterruptedException {
    http.await("/readyz", controller);
    double ready = (System.nanoTime() - begin) / 1e9;
    ProcessUsage then = controller.usage();
    int claims = BigCluster.GRANTED + BigCluster.WAITING;
    Endpoint.await(
        () -> looks(http, "claims") >= claims && looks(http, "contexts") >= BigCluster.WAITING,
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

  /** How often a loop has looked at something. */
  private static double looks(Endpoint http, String loop) throws IOException, InterruptedException {
    Thread.sleep(200);
    return Pattern.compile("gpudra_loop_latency_seconds_count\\{loop=\"" + loop + "\"} (.*)")
        .matcher(http.metrics())
        .results()
        .map((MatchResult found) -> Double.parseDouble(found.group(1)))
        .findFirst()
        .orElse(0.0);
  }
}
