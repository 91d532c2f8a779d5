package io.gpudra.crds.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonTextTest {

  @Test
  void whatATerminalObeysIsEscaped() {
    assertThat(JsonText.plain("{\"\u009b2J\":\"a\u0080\u007f\"}"))
        .isEqualTo("{\"\\u009b2J\":\"a\\u0080\\u007f\"}");
  }

  @Test
  void allElseStaysAsItIs() {
    assertThat(JsonText.plain("{\n  \"ü~\": \"\u00a0$1\\\\\"\n}"))
        .isEqualTo("{\n  \"ü~\": \"\u00a0$1\\\\\"\n}");
  }
}
