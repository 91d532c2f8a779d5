package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.process.BigCluster.Waiting;
import io.gpudra.scenarios.run.ClusterClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The page of {@code kubectl gpudra dashboard} about a big and full cluster, in a browser. */
public final class Page implements Benchmark {
  private static final int UPDATES = 10;

  /** Claims that go in one update. */
  private static final int CLAIMS = 16;

  private static final int MIB = 1 << 20;

  private final Workbench bench;

  public Page(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "page";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Optional<Chromium> found = Chromium.start();
    if (found.isEmpty()) {
      System.err.println("not measured: there is no chromium and chromedriver on the PATH");
      return ImmutableList.of();
    }
    Path place = bench.place(name());
    Path kubeconfig = place.resolve("kubeconfig");
    try (Chromium browser = found.get();
        Subprocess server = BigCluster.start(bench, place, kubeconfig, Waiting.PODS);
        Subprocess dashboard = dashboard(place, kubeconfig)) {
      server.mustLive();
      Path said = said(place);
      Endpoint.await(() -> Files.readString(said).contains("\n"), "the page's address", dashboard);
      String address = Files.readAllLines(said).get(0);
      // The first request waits until the cluster is read.
      browser.open(address);
      browser.open(address);
      double shown = browser.shownAfterMillis();
      return figures(shown, updates(browser, kubeconfig), browser, dashboard);
    }
  }

  private Subprocess dashboard(Path place, Path kubeconfig) throws IOException {
    return Subprocess.start(
        ImmutableList.of(
            bench.root().resolve("controller/target/kubectl-gpudra").toString(),
            "dashboard",
            "--kubeconfig=" + kubeconfig),
        said(place));
  }

  private static Path said(Path place) {
    return place.resolve("dashboard.txt");
  }

  private static ImmutableList<Figure> figures(
      double shown, Updates updates, Chromium browser, Subprocess dashboard) throws IOException {
    return ImmutableList.of(
        Figure.of("first picture, many nodes", shown / 1000, "s").atMost(2),
        Figure.of("an update, its script, most", updates.script().quantile(1), "ms").atMost(100),
        Figure.of("an update, from the change to the screen, p50", updates.seen().median(), "s"),
        Figure.of("heap of the script", browser.heapBytes() / MIB, "MB").atMost(100),
        Figure.of("what serves it: most memory", dashboard.usage().peakMemoryMiB(), "MiB"));
  }

  /**
   * Cost of updates.
   *
   * @param script milliseconds that the page's script took
   * @param seen seconds from the change to its end
   */
  private record Updates(Sample script, Sample seen) {}

  private static Updates updates(Chromium browser, Path kubeconfig)
      throws IOException, InterruptedException {
    Updates updates = new Updates(new Sample(), new Sample());
    ClusterClient client = Releases.client(kubeconfig);
    for (int i = 0; i < UPDATES; i++) {
      double before = browser.updatedAt();
      long begin = System.nanoTime();
      for (int node = i * CLAIMS; node < (i + 1) * CLAIMS; node++) {
        Releases.delete(client, node);
      }
      browser.awaitUpdateAfter(before);
      updates.seen().add((System.nanoTime() - begin) / 1e9);
      updates.script().add(browser.updateMillis());
    }
    return updates;
  }
}
