package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What that costs is measured by {@code hack/bench/run --only page}. */
class BigClusterTest {
  private static final int NODES = 5_000;
  private static final int GPUS = 8;
  private static final String ABOUT = "{\"cluster\":\"big\",\"driver\":\"d\",\"notes\":[]}";

  private static Object gpu(int node, int i, String state) {
    List<Object> holders =
        state.equals("G")
            ? List.of(
                List.of(
                    "team-" + node % 40,
                    "train-" + node + "-" + i,
                    "gpu-" + i,
                    1_790_000_000L,
                    "W",
                    List.of("train-" + node + "-" + i + "-0")))
            : List.of();
    return List.of(
        "gpu-" + i,
        "GPU-%08d-6b1f-4f21-9a0e-%012d".formatted(node, i),
        state,
        0,
        state.equals("G") ? 1000 : 0,
        "",
        holders);
  }

  private static String node(int node, int moment) {
    return DashboardJson.text(
        List.of(
            "gpu-node-%04d".formatted(node),
            "",
            List.of(List.of("NVIDIA H100 80GB HBM3", 85_899_345_920L)),
            IntStream.range(0, GPUS)
                .mapToObj(i -> gpu(node, i, (node + i + moment) % 7 == 0 ? "F" : "G"))
                .toList()));
  }

  /** Of the first nodes, so many differ from those of another moment. */
  private static DashboardState scene(int moment, int changed) {
    ImmutableSortedMap<String, String> nodes =
        IntStream.range(0, NODES)
            .boxed()
            .collect(
                ImmutableSortedMap.toImmutableSortedMap(
                    String::compareTo,
                    "gpu-node-%04d"::formatted,
                    i -> node(i, i < changed ? moment : 0)));
    return new DashboardState(
        Instant.now(),
        nodes,
        ImmutableMap.of(
            "about", ABOUT,
            "waiting", "{\"total\":0,\"pods\":[]}",
            "findings", "{\"total\":0,\"list\":[]}"),
        "");
  }

  private static long free(int moment, int changed) {
    return scene(moment, changed).nodes().values().stream()
        .mapToLong(json -> Splitter.on("\",\"F\",").splitToList(json).size() - 1)
        .sum();
  }

  @Test
  void fiveThousandNodesOfEightGpusAreShown() throws IOException {
    try (Browser browser = Browser.start();
        PageServer server = PageServer.open(0, PageServer.Limits.USUAL, subject -> "")) {
      server.show(scene(0, 0));
      browser.open(server.address());
      assertThat(browser.text("#map-summary")).isEqualTo("40,000 GPUs on 5,000 nodes");
      browser.photograph("big");
      server.show(scene(1, 20));
      browser.awaitCount("F", "%,d".formatted(free(1, 20)));
      assertThat(browser.complaints()).isEmpty();
    }
  }
}
