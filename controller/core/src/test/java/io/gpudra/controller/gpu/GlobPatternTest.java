package io.gpudra.controller.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobPatternTest {

  @ParameterizedTest
  @CsvSource({
    "*, NVIDIA A100-SXM4-80GB, true",
    "nvidia a100*, NVIDIA A100-SXM4-80GB, true",
    "*A100*, NVIDIA A100-SXM4-80GB, true",
    "*80gb, NVIDIA A100-SXM4-80GB, true",
    "NVIDIA*SXM4*80GB, NVIDIA A100-SXM4-80GB, true",
    "NVIDIA A100-SXM4-80GB, nvidia a100-sxm4-80gb, true",
    "A100, NVIDIA A100-SXM4-80GB, false",
    "A100*, NVIDIA A100-SXM4-80GB, false",
    "*H100*, NVIDIA A100-SXM4-80GB, false",
    "*40GB, NVIDIA A100-SXM4-80GB, false",
    "Tesla T4*4, Tesla T4, false",
    "a*ba, aba, true",
    "ab*ba, aba, false",
    "T.sla*, Tesla T4, false"
  })
  void matchesWholeNamesIgnoringCase(String pattern, String name, boolean matches) {
    assertThat(new GlobPattern(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  void manyWildcardsAreNotSlow() {
    assertThat(new GlobPattern("*a".repeat(60) + "*b").matches("a".repeat(10_000))).isFalse();
  }
}
