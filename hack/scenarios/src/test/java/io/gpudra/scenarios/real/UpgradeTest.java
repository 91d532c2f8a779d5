package io.gpudra.scenarios.real;

import static io.gpudra.scenarios.real.Release.Part.CONTROLLER;
import static io.gpudra.scenarios.real.Release.Part.DEFINITIONS;
import static io.gpudra.scenarios.real.Release.Part.PLUGINS;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.scenarios.cluster.Given;
import io.gpudra.scenarios.real.Release.Part;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * From one commit to another and back, each part of the driver in the middle of a burst of pods.
 */
@Tag("upgrade")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class UpgradeTest {
  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  private final Release before = Release.of("upgrade.old");
  private final Release after = Release.of("upgrade.new");

  @BeforeEach
  void theOldOneIsInstalled() throws Exception {
    for (Part part : List.of(DEFINITIONS, CONTROLLER, PLUGINS)) {
      before.install(part, cluster);
    }
  }

  @Test
  void theControllerGoesFirstAndComesBackLast() throws Exception {
    thereAndBack(
        List.of(CONTROLLER, DEFINITIONS, PLUGINS), List.of(PLUGINS, DEFINITIONS, CONTROLLER));
  }

  @Test
  void thePluginsGoFirstAndComeBackLast() throws Exception {
    thereAndBack(
        List.of(DEFINITIONS, PLUGINS, CONTROLLER), List.of(CONTROLLER, PLUGINS, DEFINITIONS));
  }

  private void thereAndBack(List<Part> there, List<Part> back) throws Exception {
    String ns = cluster.namespace("stays");
    bring(after, there, ns, "prepared-by-old");
    bring(before, back, ns, "prepared-by-new");
  }

  /** A pod of before keeps its GPU, and gives it back to the other release. */
  private void bring(Release release, List<Part> parts, String ns, String stays) throws Exception {
    cluster.create(
        Given.claim(ns, stays, "gpu.example.com"),
        Given.podWith(ns, stays, Given.on("worker-0"), stays).replace("Never", "Always"));
    cluster.until(stays + " runs", () -> !cluster.seenBy(ns, stays).isEmpty());
    Set<String> gpus = cluster.seenBy(ns, stays);

    for (Part part : parts) {
      duringBurst(release, part);
    }

    assertThat(cluster.granted(ns, stays)).isEqualTo(gpus);
    assertThat(restarts(ns, stays)).isZero();
    cluster.delete(ns, stays);
    cluster.deleteClaim(ns, stays);
    cluster.until("its GPU came back", () -> cluster.claim(ns, stays).isEmpty());
  }

  private void duringBurst(Release release, Part part) throws Exception {
    FinishingBurst burst =
        FinishingBurst.start(cluster, "upgrade-" + part.name().toLowerCase(Locale.ROOT));
    burst.awaitMiddle();
    release.install(part, cluster);
    burst.loseNothing();
  }

  private int restarts(String ns, String pod) throws IOException, InterruptedException {
    return cluster
        .pod(ns, pod)
        .orElseThrow()
        .at("/status/containerStatuses/0/restartCount")
        .asInt();
  }
}
