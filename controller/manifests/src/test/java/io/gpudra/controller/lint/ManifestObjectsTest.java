package io.gpudra.controller.lint;

import static io.gpudra.controller.lint.LintSamples.DRIVER;
import static io.gpudra.controller.lint.LintSamples.claim;
import static io.gpudra.controller.lint.LintSamples.claimParameters;
import static io.gpudra.controller.lint.LintSamples.classParameters;
import static io.gpudra.controller.lint.LintSamples.resourceClass;
import static io.gpudra.controller.lint.LintSamples.texts;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which object another one means; of what is not in the files nothing is guessed. */
class ManifestObjectsTest {

  private static final String CLASS = classParameters("k", "{limits: {devicesPerClaim: 1}}");
  private static final String OTHER = classParameters("k", "{limits: {devicesPerClaim: 2}}");
  private static final String NAMED = resourceClass("a", DRIVER, "k");
  private static final String CLAIM = claimParameters("x", "{count: 3}") + claim("c", "a", "x");

  @Test
  void objectsOfAllFilesBelongTogether() {
    assertThat(texts(CLASS, NAMED, CLAIM)).containsExactly(allows(1));
  }

  @Test
  void theObjectOfTheSameFileIsMeant() {
    assertThat(texts(OTHER + NAMED, CLASS + NAMED + CLAIM)).containsExactly(allows(1));
  }

  @Test
  void ofTwoThatDifferNoneIsMeant() {
    assertThat(texts(OTHER, CLASS, NAMED + CLAIM)).isEmpty();
    assertThat(texts(CLASS, CLASS, NAMED + CLAIM)).containsExactly(allows(1));
  }

  @Test
  void whatIsMissingIsNotGuessed() {
    assertThat(texts(CLAIM)).isEmpty();
    assertThat(texts(NAMED + CLAIM)).isEmpty();
    assertThat(texts(CLASS + NAMED + claim("c", "a", "x"))).isEmpty();
  }

  @Test
  void parametersOfAnotherNamespaceAreNotMeant() {
    String elsewhere = CLAIM.replace("{name: x}", "{name: x, namespace: elsewhere}");

    assertThat(texts(CLASS + NAMED + elsewhere)).isEmpty();
  }

  @Test
  void objectsWithoutANamespaceAreInTheOneThatIsSaid() {
    String there = CLAIM.replace("{name: x}", "{name: x, namespace: team-a}");

    assertThat(
            new ManifestLinter(DRIVER, "team-a")
                .of(LintSamples.sources(CLASS + NAMED + there))
                .findings())
        .extracting(LintFinding::text)
        .containsExactly(allows(1));
  }

  @Test
  void whatIsWrongWithParametersIsToldOfThemAlone() {
    String wrong = CLAIM.replace("count: 3", "count: 0");

    assertThat(texts(CLASS + NAMED + wrong)).singleElement().asString().startsWith("spec.count");
  }

  private static String allows(int devices) {
    return "class \"a\" allows %d devices per claim, 3 wanted".formatted(devices);
  }
}
