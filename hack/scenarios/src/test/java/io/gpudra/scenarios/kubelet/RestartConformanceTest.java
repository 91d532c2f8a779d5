package io.gpudra.scenarios.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What a kubelet forgets. */
@ResourceLock(RealKubelet.NODE)
class RestartConformanceTest extends KubeletCase {

  @Test
  void afterARestartPluginsRegisterAndTheNextPodOnAClaimPreparesItAgain() throws Exception {
    stage.servePlugin();
    stage.makeDevices("x");
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    kubelet.restart();
    stage.until("the plugin is", () -> stage.sockets.count("registered: true") == 2);
    assertThat(asked()).containsExactly("prepare c=x");
    stage.schedule("q", "c");
    stage.awaitRunning("q");
    assertThat(asked()).containsExactly("prepare c=x", "prepare c=x");
    assertThat(stage.runs("p")).isTrue();
    stage.deleteAndAwait("p");
    assertThat(asked()).hasSize(2);
    stage.deleteAndAwait("q");
    assertThat(asked()).containsExactly("prepare c=x", "prepare c=x", "unprepare c=x");
  }
}
