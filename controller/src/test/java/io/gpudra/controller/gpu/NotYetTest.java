package io.gpudra.controller.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What has no effect yet is refused by name, wherever it is written. */
class NotYetTest {

  private final ReadParameters read = new ReadParameters(NotYet.NOW);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "namespaceSelector | {'namespaceSelector':{}}",
        "limits.claimDuration | {'limits':{'claimDuration':'24h'}}"
      })
  void aFieldOfAClass(String field, String spec) {
    assertThat(read.problems(spec, "{}"))
        .containsExactly(
            "GpuClassParameters \"k\": spec.%s: not supported by this version".formatted(field));
  }

  @Test
  void aClassThatMonitors() {
    assertThat(read.problems("{'monitor':true,'namespaceSelector':{}}", "{}"))
        .contains("GpuClassParameters \"k\": spec.monitor: not supported by this version");
  }

  @Test
  void whatHasItsEffectIsNotRefused() {
    assertThat(
            read.problems(
                "{'mode':'exclusive','shareable':false,'limits':{'devicesPerClaim':4}}",
                "{'count':2,'memoryPerGpu':'16Gi','capabilities':['ecc'],'cel':'true','topology':'numa',"
                    + "'mode':'exclusive','placement':'pack','tolerations':[{'key':'a'}]}"))
        .isEmpty();
    assertThat(read.problems("{}", "{}")).isEmpty();
  }
}
