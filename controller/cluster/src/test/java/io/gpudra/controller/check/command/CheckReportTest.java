package io.gpudra.controller.check.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.check.Finding;
import org.junit.jupiter.api.Test;

class CheckReportTest {

  /** A node chooses the names of its devices and what it says of itself. */
  private static final Finding FINDING =
      new Finding(
          Finding.Kind.DOUBLE_GRANT,
          "worker-1",
          ImmutableSortedMap.of(),
          ImmutableSortedSet.of("gpu-\u001b[2J"),
          "it says \u009b1A\u202e\nfindings: 0");

  @Test
  void asJsonItSteersNoneEither() {
    assertThat(CheckReport.json("gpu.example.com", 1, 0, ImmutableList.of(FINDING)))
        .contains("gpu-\\u001B[2J", "it says \\u009b1A")
        .doesNotContain("\u009b");
  }

  @Test
  void whatANodeSaysSteersNoTerminalAndMakesNoFindingOfItsOwn() {
    assertThat(CheckReport.text("gpu.example.com", 1, 0, ImmutableList.of(FINDING)))
        .contains("device: gpu- [2J", "what:   it says  1A  findings: 0\n");
  }
}
