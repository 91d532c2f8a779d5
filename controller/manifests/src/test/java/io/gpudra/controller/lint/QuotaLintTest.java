package io.gpudra.controller.lint;

import static io.gpudra.controller.lint.LintSamples.DRIVER;
import static io.gpudra.controller.lint.LintSamples.claimParameters;
import static io.gpudra.controller.lint.LintSamples.object;
import static io.gpudra.controller.lint.LintSamples.resourceClass;
import static io.gpudra.controller.lint.LintSamples.template;
import static io.gpudra.controller.lint.LintSamples.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the API server refuses of a quota. */
class QuotaLintTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{hard: {gpus: 2, memory: 200Gi}, resourceClassNames: [a, b]} |",
        "{hard: {gpus: 500m}} |",
        "{hard: {}} | spec.hard: Invalid value: \"object\": a quota limits gpus, memory or both",
        "{hard: {gpus: -1}} | spec.hard.gpus: Invalid value: \"\": write a number of GPUs such as"
            + " 4, 2.5 or 500m",
        "{hard: {gpus: 2.5}} | spec.hard.gpus: Invalid value: \"number\": spec.hard.gpus in body"
            + " must be of type : \"number\"",
        "{hard: {memory: '16'}} | spec.hard.memory: Invalid value: \"string\": write a size with a"
            + " unit, such as 16Gi or 512Mi",
        "{hard: {gpus: 1}, resourceClassNames: [a, a]} | spec.resourceClassNames[1]: Duplicate"
            + " value: \"a\"",
        "{} | spec.hard: Required value",
        "{hard: {gpus: 1, gpu: 1}} | strict decoding error: unknown field \"spec.hard.gpu\", did"
            + " you mean \"gpus\"?",
      })
  void aQuotaIsCheckedLikeParameters(String spec, @Nullable String text) {
    assertThat(texts(quota(spec))).isEqualTo(text == null ? List.of() : List.of(text));
  }

  @Test
  void aClassOfAnotherDriverIsTold() {
    String quota = quota("{hard: {gpus: 1}, resourceClassNames: [ours, nowhere, theirs]}");
    String classes =
        resourceClass("ours", DRIVER, "") + resourceClass("theirs", "cpu.example.com", "");

    assertThat(texts(quota + classes))
        .containsExactly(
            "spec.resourceClassNames[2]: Invalid value: \"theirs\": a class of driver"
                + " \"cpu.example.com\", whose claims no GpuQuota counts");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{hard: {gpus: 2}} | {count: 2} |",
        "{hard: {gpus: 1500m}} | {count: 2} | gpus 0 of 1500m in use, 2 more wanted",
        "{hard: {gpus: 1500m}} | {alternatives: [{count: 2}, {count: 1}]} |",
        "{hard: {memory: 10Gi}} | {mode: shared, memoryLimit: 20Gi} | memory 0Mi of 10Gi in use,"
            + " 20Gi more wanted",
        "{hard: {gpus: 0}, resourceClassNames: [b]} | {count: 2} |",
        "{hard: {gpus: 0}, resourceClassNames: [a]} | {count: 1} | gpus 0 of 0 in use, 1 more"
            + " wanted",
      })
  void aClaimThatTheQuotaNeverAllowsIsTold(String spec, String claim, @Nullable String text) {
    String all =
        quota(spec)
            + resourceClass("a", DRIVER, "")
            + claimParameters("x", claim)
            + template("t", "a", "x");

    assertThat(texts(all))
        .isEqualTo(
            text == null
                ? List.of()
                : List.of(
                    "spec.hard: ResourceClaimTemplate \"t\" never gets its devices: quota \"q\": "
                        + text));
  }

  private static String quota(String spec) {
    return object("gpu.resource.example.com/v1alpha1", "GpuQuota", "q", "spec: " + spec);
  }
}
