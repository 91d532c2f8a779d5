package io.gpudra.controller.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerRuntimesTest {

  @ParameterizedTest
  @CsvSource({
    "containerd://1.6.33, true",
    "containerd://1.7.22, false",
    "containerd://2.0.0, false",
    "containerd://v2.1.0-rc.1, false",
    "cri-o://1.27.4, true",
    "cri-o://1.28.0, false",
    "docker://24.0.7, true",
    "something://0.1, false",
    "containerd://Unknown, false",
    "'', false",
  })
  void onlyThoseThatAreKnownToHaveNoCdiAreBlamed(String runtime, boolean without) {
    assertThat(ContainerRuntimes.withoutCdi(runtime)).isEqualTo(without);
  }
}
