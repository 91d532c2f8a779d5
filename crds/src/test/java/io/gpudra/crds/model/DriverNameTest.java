package io.gpudra.crds.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverNameTest {

  @ParameterizedTest
  @ValueSource(strings = {"gpu.resource.example.com", "a", "abcdefghijklmnopqrstuvwxyz"})
  void takesWhatEveryKubeletTakes(String name) {
    assertThat(DriverName.problem(name)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Gpu.example.com", "gpu_a", ".gpu", "gpu.", "-gpu", "a..b"})
  void refusesWhatIsNoSubdomain(String name) {
    assertThat(DriverName.problem(name)).get().asString().contains("no DNS subdomain");
  }

  @Test
  void refusesMoreThan26CharactersAndSaysHowMany() {
    assertThat(DriverName.problem("gpu.resource.long.example.com"))
        .contains(
            "--driver-name: \"gpu.resource.long.example.com\" has 29 characters, at most 26 are possible with kubelet 1.27-1.30");
  }

  @Test
  void doubtsAnUnusualPattern() {
    assertThat(DriverName.unusual("gpu.resource.example.com")).isFalse();
    assertThat(DriverName.unusual("gpu.example.com")).isTrue();
  }
}
