package io.gpudra.controller.lint.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.lint.yaml.YamlDocuments.ParseProblem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlDocumentsTest {

  private static String json(String text) {
    YamlDocuments read = YamlDocuments.of(text);
    assertThat(read.broken()).isEmpty();
    return read.documents().get(0).root().value().toString();
  }

  private static ParseProblem broken(String text) {
    return YamlDocuments.of(text).broken().get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "a: | null",
        "a: Null | null",
        "a: yes | true",
        "a: Off | false",
        "a: 'yes' | \"yes\"",
        "a: !!str 16 | \"16\"",
        "a: 16 | 16",
        "a: 0x10 | 16",
        "a: 1_000 | 1000",
        "a: 1:30 | \"1:30\"",
        "a: 1e3 | 1000",
        "a: 2.50 | 2.5",
        "a: 2026-01-01T00:00:00Z | \"2026-01-01T00:00:00Z\"",
        "a: .inf | \".inf\"",
        "a: 16Gi | \"16Gi\"",
        "a: [1, x] | [1,\"x\"]",
      })
  void aScalarIsWhatKubectlMakesOfIt(String text, String json) {
    assertThat(json(text)).isEqualTo("{\"a\":%s}".formatted(json));
  }

  @Test
  void aliasesAndMergesAreFilledIn() {
    assertThat(json("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\ne: *x"))
        .isEqualTo("{\"a\":{\"b\":1,\"c\":2},\"d\":{\"c\":3,\"b\":1},\"e\":{\"b\":1,\"c\":2}}");
  }

  @Test
  void jsonMayHaveTabs() {
    assertThat(json("{\n\t\"a\": \"\\/\\\\/\\ud83d\\ude00\",\n\t\"b\": [\n\t\t1\n\t]\n}"))
        .isEqualTo("{\"a\":\"/\\\\/😀\",\"b\":[1]}");
  }

  @Test
  void aBrokenDocumentDoesNotHideTheOthers() {
    YamlDocuments read = YamlDocuments.of("a: 1\n---\nb: [\n--- # third\nc: 3\n---\n\td: 4\n");

    assertThat(read.documents()).hasSize(2);
    assertThat(read.documents().get(1).root().at("c")).isEqualTo(new TextPosition(5, 1));
    assertThat(read.broken())
        .extracting(parseProblem -> parseProblem.textPosition().line())
        .containsExactly(4, 7);
    assertThat(read.broken())
        .allMatch(parseProblem -> parseProblem.text().startsWith("not valid YAML: "));
  }

  @Test
  void aKeyThatStandsTwiceIsKnown() {
    assertThat(YamlDocuments.of("a:\n  b: 1\n  b: 2").documents().get(0).doubles())
        .containsExactly(new ParseProblem(new TextPosition(3, 3), "key \"b\" already set in map"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "a: {b: *x} | 1 | 8 | not valid YAML: unknown alias \"x\"",
        "a: &x [*x] | 1 | 8 | not valid YAML: unknown alias \"x\"",
        "? [a] : b | 1 | 3 | not valid YAML: a key that is not a string",
        "a: 'b | 1 | 6 | not valid YAML: found unexpected end of stream",
        "~a: 1\nb\nc: 2~ | 2 | 1 | not valid YAML: could not find expected ':'",
        "~a:\n  b c\n  d: e~ | 2 | 3 | not valid YAML: mapping values are not allowed here",
        "~a:\n- b\n  d: e~ | 2 | 3 | not valid YAML: mapping values are not allowed here",
        "~a: b\n  d: e~ | 2 | 4 | not valid YAML: mapping values are not allowed here",
      })
  void whatIsNoYamlSaysWhereAndWhy(String text, int line, int column, String why) {
    assertThat(broken(text)).isEqualTo(new ParseProblem(new TextPosition(line, column), why));
  }

  @Test
  void aCharacterThatNoTextHasIsNamed() {
    assertThat(broken("a: 1\nb: x\u0001"))
        .isEqualTo(new ParseProblem(new TextPosition(2, 5), "not valid YAML: character U+0001"));
  }

  @Test
  void nothingIsDeeperThanItMayBe() {
    int deepest = YamlComposer.MAX_DEPTH;

    assertThat(YamlDocuments.of("[".repeat(deepest) + "]".repeat(deepest)).broken()).isEmpty();
    assertThat(broken("[".repeat(1_000_000)).text()).isEqualTo("nested more than 50 deep");
    assertThat(broken("a: {".repeat(200_000)).text()).isEqualTo("nested more than 50 deep");
  }

  @Test
  void valuesThatAliasesRepeatAreCounted() {
    StringBuilder laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 40; i++) {
      laughs.append("a%d: &a%d [%s]%n".formatted(i, i, "*a%d, ".formatted(i - 1).repeat(10)));
    }

    assertThat(broken(laughs.toString()).text())
        .isEqualTo("more than 250000 values, counting those that aliases repeat");
    assertThat(broken(laughs.toString()).textPosition().line()).isEqualTo(6);
  }

  /** Values are few, and what is told of one of them is as long as all of them. */
  @Test
  void textsThatAliasesRepeatAreCountedByTheirLength() {
    String text = "x".repeat(1 << 20);

    assertThat(broken("a: &a %s%nb: [%s]".formatted(text, "*a, ".repeat(20))).text())
        .startsWith("more than 250000 values");
    assertThat(broken("a: &a {? %s : 1}%nb: [%s]".formatted(text, "*a, ".repeat(20))).text())
        .startsWith("more than 250000 values");
  }

  @Test
  void aTextHasSoManyValuesAndDocumentsOnly() {
    assertThat(broken("[" + "0,".repeat(ValueBudget.OF_TEXT) + "0]").text())
        .startsWith("more than 250000 values");
    assertThat(broken("---\na\n".repeat(YamlDocuments.MAX_DOCUMENTS + 9)))
        .isEqualTo(new ParseProblem(new TextPosition(10_001, 1), "more than 5000 documents"));
  }
}
