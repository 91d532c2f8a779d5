package io.gpudra.crds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.quota.GpuQuota;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code kubectl get} shows of parameters and quotas. */
class ColumnsTest {

  @ParameterizedTest
  @CsvSource({
    GpuClaimParameters.PLURAL + ",Request Valid Nodes Devices Reason Age",
    GpuClassParameters.PLURAL + ",Mode Shareable Monitor Valid Nodes Devices Reason Age"
  })
  void columnsHaveTheNamesThatPeopleKnow(String plural, String names) {
    assertThat(columns(plural))
        .extracting(column -> column.path("name").asText())
        .containsExactlyElementsOf(Splitter.on(' ').split(names));
  }

  @Test
  void columnsOfAQuotaCompareWhatIsUsedWithWhatMayBe() {
    assertThat(columns(GpuQuota.PLURAL))
        .extracting(column -> column.path("name").asText())
        .containsExactly("GPUs", "Used", "Memory", "Used memory", "Waiting", "Age");
  }

  /** The server takes any path; a wrong one shows nothing for ever. */
  @ParameterizedTest
  @ValueSource(strings = {GpuClaimParameters.PLURAL, GpuClassParameters.PLURAL, GpuQuota.PLURAL})
  void everyColumnShowsAFieldOfItsType(String plural) {
    assertThat(columns(plural))
        .filteredOn(column -> !column.path("name").asText().equals("Age"))
        .allSatisfy(
            column ->
                assertThat(type(field(plural, column.path("jsonPath").asText())))
                    .isEqualTo(column.path("type").asText()));
  }

  /** A column shows a number or a text as a text. */
  private static String type(JsonNode schema) {
    return schema.has("x-kubernetes-int-or-string") ? "string" : schema.path("type").asText();
  }

  private static JsonNode columns(String plural) {
    return CrdYaml.version(plural).path("additionalPrinterColumns");
  }

  /** A step may choose an element of a list. */
  private static JsonNode field(String plural, String path) {
    JsonNode at = CrdYaml.version(plural).at("/schema/openAPIV3Schema");
    for (String step : Splitter.onPattern("\\.(?![^\\[]*\\])").omitEmptyStrings().split(path)) {
      at = at.path("properties").path(step.replaceAll("\\[.*", ""));
      at = step.endsWith("]") ? at.path("items") : at;
    }
    return at;
  }
}
