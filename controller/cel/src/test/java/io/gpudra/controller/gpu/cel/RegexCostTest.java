package io.gpudra.controller.gpu.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The size of a pattern's program is known before RE2 makes it. */
class RegexCostTest {

  /** RE2 can make programs of this size without harm to a test. */
  private static final long HARMLESS = 20_000;

  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.frequencyOf(
            Tuple.of(
                6,
                Arbitraries.of(
                    "a", "b", "é", ".", "\\d", "\\pL", "\\p{Greek}", "\\x{61}", "[", "]")),
            Tuple.of(
                6,
                Arbitraries.of("(", ")", "(?:", "(?i)", "(?i:", "(?P<n>", "|", "^", "$", "-", ",")),
            Tuple.of(
                6,
                Arbitraries.of("*", "+", "?", "{2}", "{0,7}", "{3,}", "{30}", "{", "}", "{1000}")),
            Tuple.of(
                3,
                Arbitraries.of(
                    "[a-z]",
                    "[^]a]",
                    "[]{9}]",
                    "[[:alpha:]]",
                    "[[:^digit:]{9}",
                    "[\\]]{5}",
                    "\\Q",
                    "\\E",
                    "\\",
                    "[\\pL(]",
                    "(a{9}){9}",
                    "((a|b)?){20}")))
        .list()
        .ofMaxSize(24)
        .map(parts -> String.join("", parts));
  }

  @Property(tries = 20_000, seed = "7")
  void aProgramIsNoLargerThanWasTold(@ForAll("patterns") String pattern) {
    long told = RegexCost.of(pattern);
    if (told <= HARMLESS) {
      try {
        assertThat(Pattern.compile(pattern).programSize()).isLessThanOrEqualTo((int) told);
      } catch (PatternSyntaxException e) {
        assertThat(e.getPattern()).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "A100|H100, 13",
    "NVIDIA (A|H)[0-9]{3}, 24",
    "'', 3",
    "'(){0,7}', 31",
    "(a{30}){30}, 2018",
    "\\Q{1000}{1000}\\E, 15",
    "\\x{41}{2}, 9",
    "[{9}]{2}, 9",
  })
  void theSizeIsNearTheTruth(String pattern, long size) {
    assertThat(RegexCost.of(pattern)).isEqualTo(size);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(((((a?){30}){30}){30}){30}){30}",
        "(((((((a{1000}){1000}){1000}){1000}){1000}){1000}){1000}){1000}",
        "a{1000}",
        "(((((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))))",
      })
  void whatIsTooLargeIsNotCompiled(String pattern) {
    assertThatThrownBy(() -> RegexCost.compile(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 512 are allowed");
  }

  @Test
  void aLongPatternIsNotEvenRead() {
    assertThat(RegexCost.of("(?i)".repeat(1_000))).isGreaterThan(RegexCost.MAX);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(?i)[\\x{42}-\\x{10FFFF}]", "(?i:é)", "(?si)\\pL", "a(?i-s)\\P{Lu}"})
  void foldingTheCaseOfAllOfUnicodeIsRefused(String pattern) {
    assertThatThrownBy(() -> RegexCost.compile(pattern))
        .hasMessage("with (?i) a pattern may hold ASCII characters only");
  }

  @ParameterizedTest
  @ValueSource(strings = {"(?i)a100", "é", "\\pL", "[\\x{42}-\\x{10FFFF}]", "(?s)a.b"})
  void othersAreCompiled(String pattern) {
    assertThat(RegexCost.compile(pattern).pattern()).isEqualTo(pattern);
  }

  @Test
  void aPatternThatIsNoneIsRefusedInRe2sWords() {
    assertThatThrownBy(() -> RegexCost.compile("a(b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("missing closing )");
  }
}
