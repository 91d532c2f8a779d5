package io.gpudra.controller.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.kube.KubeSettings;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What files make is counted as a whole, before it is made. */
class ManifestReaderTest {
  private static final KubeSettings SETTINGS =
      new KubeSettings("gpu.resource.example.com", 30, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
  private static final String OF_A_TEMPLATE =
      "{'resourceClaims':[{'name':'gpu','source':{'resourceClaimTemplateName':'one'}}]}";

  private static ManifestSet read(String... objects) {
    return ManifestReader.read(
        IntStream.range(0, objects.length)
            .mapToObj(i -> new ManifestDocument("document " + i, objects[i].replace('\'', '"')))
            .toList(),
        SETTINGS,
        "team");
  }

  private static String making(String apiVersion, String kind, String count, String podSpec) {
    return "{'apiVersion':'%s','kind':'%s','metadata':{'name':'w'},'spec':{%s,'template':{'spec':%s}}}"
        .formatted(apiVersion, kind, count, podSpec);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "apps/v1 | Deployment | 'replicas':13000 | spec.replicas: 13000 pods with 13000 claims:",
        "apps/v1 | StatefulSet | 'replicas':2147483647 | spec.replicas: 2147483647 pods with"
            + " 2147483647 claims:",
        "batch/v1 | Job | 'parallelism':13000 | spec.parallelism: 13000 pods with 13000 claims:",
        "batch/v1 | Job | 'parallelism':30000,'completions':20000 | spec.completions: 20000 pods"
            + " with 20000 claims:",
      })
  void whatMakesMoreThanIsTriedIsNamedWithItsFieldAndTheLimit(
      String apiVersion, String kind, String count, String expected) {
    assertThat(read(making(apiVersion, kind, count, OF_A_TEMPLATE)).problems())
        .singleElement()
        .asString()
        .startsWith("document 0: " + kind + " team/w: " + expected)
        .endsWith("the maximum is 25000");
  }

  @Test
  void allFilesAreCountedTogetherAndNoneIsReadAfterTheOneThatIsTooMany() {
    String some = making("apps/v1", "Deployment", "'replicas':9000", OF_A_TEMPLATE);

    ManifestSet manifestSet = read(some, some.replace("'w'", "'x'"), some.replace("'w'", "'y'"));

    assertThat(manifestSet.problems())
        .containsExactly(
            "document 1: Deployment team/x: spec.replicas: 9000 pods with 9000 claims: with it the"
                + " files have 36002 objects, with pods and their claims; the maximum is 25000");
  }

  @Test
  void itemsOfAListAreCounted() {
    List<String> claims =
        Collections.nCopies(
            25_001,
            "{'apiVersion':'resource.k8s.io/v1alpha2','kind':'ResourceClaim',"
                + "'metadata':{'name':'a'},'spec':{'resourceClassName':'gpu'}}");

    assertThat(
            read("{'apiVersion':'v1','kind':'List','items':[" + String.join(",", claims) + "]}")
                .problems())
        .singleElement()
        .asString()
        .startsWith("document 0: ResourceClaim a: with it the files have 25001 objects");
  }

  @Test
  void tenThousandPodsWithAClaimEachAreNotTooMany() {
    assertThat(read(making("apps/v1", "Deployment", "'replicas':10000", OF_A_TEMPLATE)).problems())
        .isEmpty();
  }
}
