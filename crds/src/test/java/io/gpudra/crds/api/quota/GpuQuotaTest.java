package io.gpudra.crds.api.quota;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.gson.Gson;
import io.gpudra.crds.api.quota.GpuQuotaSpec.Hard;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuQuotaTest {

  private static List<String> problems(@Nullable GpuQuotaSpec spec) {
    return new GpuQuota(null, null, null, spec, null).problems();
  }

  private static GpuQuotaSpec of(@Nullable String gpus, @Nullable String memory) {
    return new GpuQuotaSpec(null, new Hard(gpus, memory));
  }

  private static GpuQuotaSpec ofClasses(@Nullable String... names) {
    return new GpuQuotaSpec(Arrays.asList(names), new Hard("2", null));
  }

  @Test
  void aNumberIsReadLikeAText() throws JsonProcessingException {
    String json = "{\"spec\":{\"hard\":{\"gpus\":2,\"memory\":\"200Gi\"}}}";

    for (GpuQuota read :
        List.of(
            new Gson().fromJson(json, GpuQuota.class),
            new JsonMapper().readValue(json, GpuQuota.class))) {
      assertThat(read.problems()).isEmpty();
      assertThat(read.spec()).isEqualTo(of("2", "200Gi"));
    }
  }

  @Test
  void limitsAreExact() {
    Hard hard = new Hard("2.5", "1500M");

    assertThat(hard.thousandths()).hasValue(2500);
    assertThat(hard.bytes()).hasValue(1_500_000_000);
    assertThat(new Hard(null, null))
        .matches(none -> none.thousandths().isEmpty() && none.bytes().equals(OptionalLong.empty()));
  }

  @Test
  void withoutNamesEveryClassCounts() {
    assertThat(of("1", null).classes()).isEmpty();
    assertThat(ofClasses("a", "b").classes()).containsExactly("a", "b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "0 | - | -",
        "2.5 | 16Gi | -",
        "- | 16Gi | -",
        "- | - | spec.hard: Invalid value: \"object\": a quota limits gpus, memory or both",
        "-1 | - | spec.hard.gpus: Invalid value: \"-1\": write a number of GPUs such as 4, 2.5 or"
            + " 500m",
        "- | 16 | spec.hard.memory: Invalid value: \"16\": write a size with a unit, such as 16Gi"
            + " or 512Mi",
        "- | 0.5Gi | spec.hard.memory: Invalid value: \"0.5Gi\": write a size with a unit, such as"
            + " 16Gi or 512Mi",
      })
  void amountsAreChecked(@Nullable String gpus, @Nullable String memory, @Nullable String problem) {
    assertThat(problems(of(gpus, memory)))
        .isEqualTo(problem == null ? List.of() : List.of(problem));
  }

  @Test
  void namesOfClassesAreChecked() {
    assertThat(problems(ofClasses("a", "b"))).isEmpty();
    assertThat(problems(ofClasses("a", "", "a", null, "x".repeat(254))))
        .containsExactly(
            "spec.resourceClassNames[1]: Invalid value: \"\": spec.resourceClassNames[1] in body"
                + " should be at least 1 chars long",
            "spec.resourceClassNames[2]: Duplicate value: \"a\"",
            "spec.resourceClassNames[3]: Required value",
            "spec.resourceClassNames[4]: Too long: may not be longer than 253");
    assertThat(problems(new GpuQuotaSpec(nCopies(17, "a"), new Hard("2", null))))
        .contains("spec.resourceClassNames: Too many: 17: must have at most 16 items");
  }

  @Test
  void whatIsRequiredIsMissed() {
    assertThat(problems(null)).containsExactly("spec: Required value");
    assertThat(problems(new GpuQuotaSpec(null, null))).containsExactly("spec.hard: Required value");
  }
}
