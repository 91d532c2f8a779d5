package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.process.BigCluster.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;

/**
 * Measures a controller on a big and full cluster with waiting Immediate claims of many different
 * requests: their cost at rest, and the time until a released GPU is allocated to one of them.
 */
public final class Immediate implements Benchmark {
  private static final Duration REST = Duration.ofSeconds(60);
  private static final int RELEASES = 20;

  /** Freed devices are offered to twice as many waiters, the oldest. */
  private static final int ASKED = 2;

  private final Workbench bench;

  public Immediate(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "immediate";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = bench.place(name());
    Path kubeconfig = place.resolve("kubeconfig");
    try (Subprocess server = BigCluster.start(bench, place, kubeconfig, Waiting.CLAIMS)) {
      Endpoint http = Endpoint.free();
      try (Subprocess controller =
          bench.controller().start(place.resolve("controller.log"), http.controller(kubeconfig))) {
        server.mustLive();
        return measure(controller, http, kubeconfig);
      }
    }
  }

  private static ImmutableList<Figure> measure(
      Subprocess controller, Endpoint http, Path kubeconfig)
      throws IOException, InterruptedException {
    int claims = BigCluster.GRANTED + BigCluster.WAITING;
    http.await("/readyz", controller);
    Endpoint.await(() -> http.looks("claims") >= claims, "a look at every claim", controller);
    // All claims are polled once within this time, which spreads the next polls.
    Thread.sleep(REST.toMillis());
    double before = controller.usage().cpuSeconds();
    Thread.sleep(REST.toMillis());
    double share = (controller.usage().cpuSeconds() - before) / REST.toSeconds();
    Sample seconds = new Sample();
    int passedOver = 0;
    double first;
    try (Releases releases = new Releases(kubeconfig)) {
      PrimitiveIterator.OfInt whole =
          IntStream.iterate(0, node -> node + 1).filter(node -> !BigCluster.isCut(node)).iterator();
      first = releases.giveBack(whole.next()).seconds();
      for (int i = 0; i < RELEASES; i++) {
        Releases.Grant grant = releases.giveBack(whole.next());
        seconds.add(grant.seconds());
        passedOver = Math.max(passedOver, grant.older());
      }
    }
    return ImmutableList.of(
        Figure.of("of a core, at rest", 100 * share, "%").atMost(10),
        Figure.of("the first GPU given back, by code that never ran, is granted after", first, "s"),
        Figure.of("a GPU given back is granted after, p50", seconds.median(), "s"),
        Figure.of("a GPU given back is granted after, most", seconds.quantile(1), "s").atMost(1),
        Figure.of("older ones that waited, most", passedOver, "").atMost(ASKED - 1),
        Figure.of("most memory", controller.usage().peakMemoryMiB(), "MiB").atMost(512));
  }
}
