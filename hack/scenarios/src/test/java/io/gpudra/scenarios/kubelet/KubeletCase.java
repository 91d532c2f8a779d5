package io.gpudra.scenarios.kubelet;

import io.gpudra.scenarios.kubelet.ScriptedPlugin.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;

/**
 * What a kubelet asks of a plugin, in which order, and what it makes of the answers. What a test
 * asserts is what a real 1.30.14 does.
 */
@Tag("kubelet")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
abstract class KubeletCase {
  final KubeletUnderTest kubelet = KubeletUnderTest.INSTANCE;
  Stage stage;

  @BeforeEach
  void set() throws IOException, InterruptedException {
    stage = Stage.set(kubelet);
  }

  @AfterEach
  void clear() throws IOException, InterruptedException {
    stage.clear();
  }

  List<String> asked() {
    return stage.plugin.asked();
  }

  void awaitAsked(int times) {
    stage.until(times + " calls", () -> asked().size() >= times);
  }

  /** The pod's claims could not be prepared, which a warning says. */
  void awaitFailure(String pod, String why) {
    stage.awaitWarning(
        pod, "FailedPrepareDynamicResources", "Failed to prepare dynamic resources: " + why);
  }

  static Duration between(Call first, Call second) {
    return Duration.between(first.at(), second.at());
  }
}
