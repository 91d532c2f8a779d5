package io.gpudra.crds.api.problem;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.io.Resources;
import com.google.gson.Gson;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.PlacementPolicy;
import io.gpudra.crds.model.MemorySize;
import io.kubernetes.client.openapi.JSON;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProblemListTest {

  private final Gson gson = JSON.createGson().create();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"spec\":null}",
        "{\"spec\":{}}",
        "{\"spec\":{\"count\":1}}",
        "{\"spec\":{\"count\":64,\"memory\":\"1.5Gi\",\"cel\":\"true\",\"shareable\":false}}",
        "{\"spec\":{\"memory\":null}}"
      })
  void goodClaimParametersHaveNoProblem(String json) {
    assertThat(gson.fromJson(json, GpuClaimParameters.class).problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"count\":0} | spec.count: Invalid value: 0: spec.count in body should be greater than or"
            + " equal to 1",
        "{\"count\":65} | spec.count: Invalid value: 65: spec.count in body should be less than or"
            + " equal to 64",
        "{\"memory\":\"16\"} | spec.memory: Invalid value: \"16\": write a size with a unit, such"
            + " as 16Gi or 512Mi",
        "{\"memory\":\"\"} | spec.memory: Invalid value: \"\": write a size with a unit, such as"
            + " 16Gi or 512Mi",
        "{\"cel\":\"\"} | spec.cel: Invalid value: \"\": spec.cel in body should be at least 1"
            + " chars long",
      })
  void eachMistakeOfAClaimIsToldWithItsPath(String spec, String problem) {
    assertThat(gson.fromJson("{\"spec\":" + spec + "}", GpuClaimParameters.class).problems())
        .containsExactly(problem);
  }

  @Test
  void allMistakesAreTold() {
    assertThat(
            GpuClaimParametersSpec.of(0, "x".repeat(9999), "y".repeat(4097), null, null).problems())
        .hasSize(3)
        .allSatisfy(problem -> assertThat(problem).hasSizeLessThan(200));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | spec.deviceSelector: Invalid value: 0: spec.deviceSelector in body should have at"
            + " least 1 items",
        "[null] | spec.deviceSelector[0]: Required value",
        "[{\"name\":\"*\"}] | spec.deviceSelector[0].type: Required value",
        "[{\"type\":\"gpu\"}] | spec.deviceSelector[0].name: Required value",
        "[{\"type\":\"*\",\"name\":\"*\"},{\"type\":\"vgpu\",\"name\":\"*\"}] |"
            + " spec.deviceSelector[1].type: Unsupported value: \"vgpu\": supported values:"
            + " \"gpu\", \"mig\", \"*\"",
        "[{\"type\":\"gpu\",\"name\":\"\"}] | spec.deviceSelector[0].name: Invalid value: \"\":"
            + " spec.deviceSelector[0].name in body should be at least 1 chars long",
      })
  void eachMistakeOfAClassIsToldWithItsPath(String selectors, String problem) {
    String json = "{\"spec\":{\"deviceSelector\":" + selectors + "}}";

    assertThat(gson.fromJson(json, GpuClassParameters.class).problems()).containsExactly(problem);
  }

  @Test
  void whatIsNotSaidHasADefault() {
    assertThat(GpuClaimParametersSpec.EMPTY.body().countOrDefault()).isEqualTo(1);
    assertThat(GpuClaimParametersSpec.EMPTY.shareableOrDefault()).isTrue();
    assertThat(GpuClaimParametersSpec.EMPTY.body().nominalMemoryBytes()).isEmpty();
    assertThat(GpuClassParametersSpec.EMPTY.shareableOrDefault()).isTrue();
    assertThat(GpuClassParametersSpec.EMPTY.placementOrDefault()).isEqualTo(PlacementPolicy.PACK);
    assertThat(GpuClaimParametersSpec.of(null, "16G", null, null, null).body().nominalMemoryBytes())
        .hasValue(17_179_869_184L);
  }

  /** The server's rule and ours must not disagree about one text. */
  @Property
  void schemaAndCodeHaveOneIdeaOfASize(@ForAll("almostSizes") String text) {
    assertThat(MemorySize.parse(text).isPresent())
        .isEqualTo(RULE.matcher(text).matches() && text.length() <= 16);
  }

  @Provide
  Arbitrary<String> almostSizes() {
    return Arbitraries.frequencyOf(
        Tuple.of(1, Arbitraries.strings().withChars("0123456789.MGTi").ofMaxLength(18)),
        Tuple.of(
            3,
            Arbitraries.strings()
                .withChars("0019.")
                .ofMaxLength(14)
                .flatMap(
                    number ->
                        Arbitraries.of("Mi", "Gi", "Ti", "M", "G", "T", "").map(number::concat))));
  }

  private static final Pattern RULE = Pattern.compile(ruleOfMemory());

  private static String ruleOfMemory() {
    try {
      JsonNode crd =
          new YAMLMapper()
              .readTree(
                  Resources.toString(
                      Resources.getResource("io/gpudra/crds/gpuclaimparameters.yaml"),
                      StandardCharsets.UTF_8));
      String rule =
          crd.at(
                  "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/memory"
                      + "/x-kubernetes-validations/0/rule")
              .asText();
      return rule.substring("self.matches('".length(), rule.length() - "')".length());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Example
  void theRuleIsReadFromTheSchema() {
    assertThat(RULE.pattern()).startsWith("^(").endsWith(")$");
  }
}
