package io.gpudra.simulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpudra.simulator.actor.ActorThread;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.kubelet.DraPlugin.ClaimAnswer;
import io.gpudra.simulator.kubelet.DraPlugin.ClaimCall;
import io.gpudra.simulator.kubelet.DraPlugin.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Protocol 4.3 and 4.4 over real Unix sockets. */
class RegistrationsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String DRIVER = "gpu.example.com";

  private Path directory;
  private Registrations registrations;
  private ActorThread thread;

  @BeforeEach
  void start(@TempDir Path dir) throws IOException {
    directory = Files.createDirectories(dir.resolve("k"));
    registrations =
        new Registrations(directory, Timings.QUICK, Profile.V1_30, InstantSource.system());
    thread = ActorThread.start("registrations", registrations);
  }

  @AfterEach
  void stop() {
    thread.close();
  }

  private void with(SocketPlugin plugin, ThrowingConsumer<SocketPlugin> check) throws IOException {
    try (plugin) {
      check.accept(plugin);
    }
  }

  private void registered(boolean wanted) {
    await("registered " + wanted)
        .atMost(LIMIT)
        .until(() -> registrations.find(DRIVER).isPresent() == wanted);
  }

  private Reply prepare() {
    return registrations
        .find(DRIVER)
        .orElseThrow()
        .prepare(
            List.of(
                new ClaimCall("ns", "uid-a", "a", "h1"), new ClaimCall("ns", "uid-b", "b", "h2")));
  }

  @Test
  void aPluginIsAskedToldAndCalledWithThePercentEncodedPathAsAuthority() throws IOException {
    with(
        new SocketPlugin(directory, "DRAPlugin", "1.0.0"),
        plugin -> {
          plugin.serve(plugin.v1alpha3());
          await().atMost(LIMIT).until(() -> plugin.log.contains("registered true "));
          Reply reply = prepare();
          assertThat(reply.failure()).isEmpty();
          assertThat(reply.claims())
              .containsEntry("uid-a", new ClaimAnswer(List.of("v.com/gpu=h1"), ""))
              .containsEntry("uid-b", new ClaimAnswer(List.of("v.com/gpu=h2"), ""));
          String authority = directory.resolve("dra.sock").toString().replace("/", "%2F");
          assertThat(plugin.log)
              .contains("v1alpha3.Node/NodePrepareResources at " + authority)
              .contains("v1alpha3.Node/NodeListAndWatchResources at " + authority);
        });
  }

  @Test
  void aPluginThatOnlySpeaksTheOldServiceIsCalledClaimByClaim() throws IOException {
    with(
        new SocketPlugin(directory, "DRAPlugin", "1.0.0"),
        plugin -> {
          plugin.serve(plugin.v1alpha2());
          registered(true);
          assertThat(prepare().claims()).hasSize(2);
          assertThat(prepare().failure()).isEmpty();
          assertThat(plugin.log.stream().filter(line -> line.startsWith("v1alpha2 ")))
              .containsExactly("v1alpha2 a", "v1alpha2 b", "v1alpha2 a", "v1alpha2 b");
          assertThat(plugin.log.stream().filter(line -> line.startsWith("v1alpha3.Node/NodePrep")))
              .as("the fallback is remembered")
              .hasSizeLessThanOrEqualTo(1);
        });
  }

  @Test
  void aSocketThatGoesDeregistersAndOneThatComesBackRegistersAgain() throws IOException {
    with(
        new SocketPlugin(directory, "DRAPlugin", "1.0.0"),
        plugin -> {
          plugin.serve(plugin.v1alpha3());
          await().atMost(LIMIT).until(() -> plugin.log.contains("registered true "));
          plugin.stop();
          registered(false);
          plugin.log.clear();
          plugin.serve(plugin.v1alpha3());
          await().atMost(LIMIT).until(() -> plugin.log.contains("registered true "));
          assertThat(prepare().failure()).isEmpty();
        });
  }

  @Test
  void aDeadSocketIsUnavailableAtOnce() throws IOException {
    with(
        new SocketPlugin(directory, "DRAPlugin", "1.0.0"),
        plugin -> {
          plugin.serve(plugin.v1alpha3());
          registered(true);
          DraPlugin registered = registrations.find(DRIVER).orElseThrow();
          plugin.stop();
          assertThat(registered.prepare(List.of()).failure().orElseThrow())
              .startsWith("rpc error: code = Unavailable");
        });
  }

  @Test
  void aWrongTypeOrVersionIsRefusedWithTheReason() throws IOException {
    with(
        new SocketPlugin(directory, "DRAPlugin", "v1alpha3"),
        plugin -> {
          plugin.serve(plugin.v1alpha3());
          String reason = "failed. None of the versions specified [\"v1alpha3\"] are supported";
          await()
              .atMost(LIMIT)
              .until(() -> plugin.log.stream().anyMatch(line -> line.endsWith(reason)));
          assertThat(registrations.find(DRIVER)).isEmpty();
        });
  }
}
