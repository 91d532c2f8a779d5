package io.gpudra.kubeletplugin.kube;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReaderTest {

  @ParameterizedTest
  @CsvSource({
    "v1.27.4, false",
    "v1.27.16+k3s1, false",
    "v1.26.0, false",
    "v1.28.0, true",
    "v1.30.14-gke.100, true",
    "v2.0.0, true",
    "'', true"
  })
  void kubeletsAskAgainSince128(String version, boolean asksAgain) {
    assertThat(NodeReader.asksAgain(version)).isEqualTo(asksAgain);
  }
}
