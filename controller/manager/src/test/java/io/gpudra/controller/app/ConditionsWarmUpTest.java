package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

final class ConditionsWarmUpTest {

  @Test
  void itsConditionsAreUnderstoodAndDoNotFail() {
    assertThatCode(() -> ConditionsWarmUp.run("gpu.nvidia.com")).doesNotThrowAnyException();
  }
}
