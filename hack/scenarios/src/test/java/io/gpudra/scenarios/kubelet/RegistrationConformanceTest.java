package io.gpudra.scenarios.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** How a kubelet finds a plugin and which of its services it calls. */
@ResourceLock(value = RealKubelet.NODE, mode = ResourceAccessMode.READ)
class RegistrationConformanceTest extends KubeletCase {

  @Test
  void aPluginIsAskedWhoItIsAndToldThatItIsRegistered() throws Exception {
    stage.servePlugin();
    String registry = "plugins_registry/" + stage.driver + "-reg.sock";
    String info = "pluginregistration.Registration/GetInfo within 1 s" + at(registry);
    stage.until("all calls came", () -> stage.sockets.calls().size() == 4);
    assertThat(stage.sockets.calls()).startsWith(info);
    assertThat(stage.sockets.calls())
        .containsExactlyInAnyOrder(
            info,
            "v1alpha3.Node/NodeListAndWatchResources"
                + at("plugins/" + stage.driver + "/plugin.sock"),
            "pluginregistration.Registration/NotifyRegistrationStatus within 5 s" + at(registry),
            "registered: true ");
  }

  private String at(String socket) {
    String path = kubelet.directory().resolve(socket).toString();
    return " at " + URLEncoder.encode(path, StandardCharsets.UTF_8);
  }

  @Test
  void aSocketThatIsMadeAnewIsRegisteredAnew() throws Exception {
    stage.servePlugin();
    stage.sockets.register();
    stage.until("it is", () -> stage.sockets.count("registered: true") == 2);
    assertThat(stage.sockets.count("pluginregistration.Registration/GetInfo")).isEqualTo(2);
  }

  @Test
  void anUnknownVersionIsRefusedAndAskedForAgain() throws Exception {
    awaitRefusals("2.0.0", 2, "None of the versions specified [\"2.0.0\"] are supported");
  }

  @Test
  void aSecondPluginOfANameIsRefused() throws Exception {
    stage.servePlugin();
    awaitRefusals(
        "1.0.0",
        1,
        "Another plugin with the same name is already registered with a higher supported version");
  }

  private void awaitRefusals(String version, int times, String reason) throws IOException {
    String file = stage.driver + "-2";
    String refusal =
        ("registered: false RegisterPlugin error -- plugin validation failed with err: validation"
                + " failed for DRA plugin %1$s at endpoint %2$s: kubernetes.io/dra: ValidatePlugin"
                + " for DRA plugin \"%1$s\" failed. %3$s")
            .formatted(
                stage.driver,
                kubelet.directory().resolve("plugins/" + file + "/plugin.sock"),
                reason);
    try (Sockets other = new Sockets(kubelet, stage.driver, file, version)) {
      other.serve(new CurrentService(stage.plugin));
      stage.until(refusal, () -> other.count(refusal) >= times);
      assertThat(other.count("pluginregistration.Registration/GetInfo"))
          .isGreaterThanOrEqualTo(times);
    }
  }

  @Test
  void withoutAPluginThePodDoesNotStart() throws Exception {
    stage.allocated("c", "");
    stage.schedule("p", "c");
    awaitFailure(
        "p",
        ("failed to get DRA Plugin client for plugin name %1$s: plugin name %1$s not found in the"
                + " list of registered DRA plugins")
            .formatted(stage.driver));
  }

  @Test
  void aPluginThatKnowsOnlyTheOldServiceIsAskedClaimByClaim() throws Exception {
    stage.makeDevices("x", "y");
    stage.sockets.serve(new OldService(stage.plugin));
    stage.awaitRegistration();
    stage.allocated("a", "x");
    stage.allocated("b", "y");
    stage.schedule("p", "a", "b");
    stage.awaitRunning("p");
    assertThat(asked()).containsExactlyInAnyOrder("prepare a=x", "prepare b=y");
    assertThat(stage.devicesOf("p", "ctr")).containsExactly("x", "y");
    stage.deleteAndAwait("p");
    assertThat(asked().subList(2, 4)).containsExactlyInAnyOrder("unprepare a=x", "unprepare b=y");
  }
}
