package io.gpudra.controller.lint;

import static io.gpudra.controller.lint.LintSamples.object;
import static io.gpudra.controller.lint.LintSamples.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
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
        "{hard: {gpus: 1, gpu: 1}} | strict decoding error: unknown field \"spec.hard.gpu\", did you mean"
            + " \"gpus\"?",
      })
  void aQuotaIsCheckedLikeParameters(String spec, @Nullable String text) {
    String quota = object("gpu.resource.example.com/v1alpha1", "GpuQuota", "q", "spec: " + spec);

    assertThat(texts(quota)).isEqualTo(text == null ? List.of() : List.of(text));
  }
}
