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
        "spec.all | {'all':true}",
        "spec.migProfile | {'migProfile':'1g.5gb'}",
        "spec.memoryLimit | {'memoryLimit':'4Gi'}",
        "spec.sharing | {'sharing':{}}",
        "spec.requests | {'requests':[{'name':'a'}]}",
        "spec.alternatives | {'alternatives':[{},{'count':2}]}",
        "spec.topology | {'count':2,'topology':'numa'}",
        "spec.sameAttribute | {'count':2,'sameAttribute':['brand']}"
      })
  void aFieldOfAClaim(String field, String spec) {
    assertThat(read.problems("{}", spec))
        .containsExactly(field + ": not supported by this version");
  }

  @Test
  void severalFieldsOfAClaim() {
    assertThat(read.problems("{}", "{'insideClaim':'gpu','migProfile':'1g.5gb'}"))
        .containsExactly(
            "spec.insideClaim: not supported by this version",
            "spec.migProfile: not supported by this version");
    assertThat(read.problems("{}", "{'requests':[{'name':'a'},{'name':'b','sharing':{}}]}"))
        .containsExactly(
            "spec.requests: not supported by this version",
            "spec.requests[1].sharing: not supported by this version");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "deviceSelector[].type: mig | {'deviceSelector':[{'type':'mig','name':'*'}]}",
        "namespaceSelector | {'namespaceSelector':{}}",
        "sharing | {'sharing':{}}",
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
                "{'count':2,'memoryPerGpu':'16Gi','capabilities':['ecc'],'cel':'true',"
                    + "'mode':'exclusive','placement':'pack','tolerations':[{'key':'a'}]}"))
        .isEmpty();
    assertThat(read.problems("{}", "{}")).isEmpty();
  }
}
