package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerRuntimeProbeTest {
  @TempDir Path root = Path.of("");

  private Optional<String> version = Optional.of("containerd://1.7.22");
  private Duration now = Duration.ZERO;
  private int asked;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ContainerRuntimeProbe look;

  @BeforeEach
  void off() throws IOException {
    configure("enable_cdi = false");
    look =
        new ContainerRuntimeProbe(
            ContainerdConfig.below(root),
            () -> {
              asked++;
              return version;
            },
            () -> now.toNanos());
  }

  private void configure(String text) throws IOException {
    Path directory = Files.createDirectories(root.resolve("etc/containerd"));
    Files.writeString(directory.resolve("config.toml"), text);
  }

  private Optional<String> problem() {
    look.probe();
    now = now.plus(ContainerRuntimeProbe.PAUSE);
    return look.problem();
  }

  @Test
  void containerdOneSevenMustBeToldToReadCdiFiles() throws IOException {
    assertThat(problem())
        .contains(
            "container runtime containerd://1.7.22 would start containers without their GPUs:"
                + " enable_cdi is not true in /etc/containerd/config.toml of the node");

    configure("enable_cdi = true");
    assertThat(problem()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"containerd://2.0.0", "containerd://v2.1.0", "cri-o://1.30.0", "", "x"})
  void othersNeedNotBe(String other) {
    version = Optional.of(other);
    assertThat(problem()).isEmpty();
  }

  @Test
  void whileNobodyKnowsTheVersionNothingIsBlamed() {
    version = Optional.empty();
    assertThat(problem()).isEmpty();
    version = Optional.of("containerd://1.7.0");
    assertThat(problem()).isPresent();
  }

  @Test
  void theVersionIsAskedEveryTenMinutesAndOnlyWhereItMatters() throws IOException {
    for (int i = 0; i < 60; i++) {
      problem();
    }
    assertThat(asked).isEqualTo(1);
    version = Optional.of("containerd://2.0.0");
    assertThat(problem()).as("containerd was replaced").isEmpty();
    assertThat(asked).isEqualTo(2);

    configure("enable_cdi = true");
    now = now.plus(ContainerRuntimeProbe.REMEMBERED);
    problem();
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void aServerThatDoesNotAnswerTakesBackNothing() {
    problem();
    version = Optional.empty();
    now = now.plus(ContainerRuntimeProbe.REMEMBERED);
    assertThat(problem()).isPresent();
  }
}
