package io.gpudra.controller.gate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GateNameTest {

  @Test
  void theGateOfADriverHasItsName() {
    assertThat(new GateName("gpu.example.com").own()).isEqualTo("gpu.example.com/granted");
  }

  @Test
  void gatesOfAllDriversAreKnownAndOthersAreNot() {
    assertThat(GateName.isOfADriver("other.example.com/granted")).isTrue();
    assertThat(GateName.isOfADriver("kueue.x-k8s.io/admission")).isFalse();
    assertThat(GateName.isOfADriver("example.com/granted-later")).isFalse();
  }
}
