package io.gpudra.controller.gpu.cel;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

final class WarmUpTest {

  @Test
  void itsConditionsAreUnderstoodAndDoNotFail() {
    assertThatCode(() -> WarmUp.run("gpu.nvidia.com")).doesNotThrowAnyException();
  }
}
