package io.gpudra.controller.doctor.upgrade;

import static io.gpudra.controller.doctor.upgrade.UpgradeObjects.state;
import static io.gpudra.controller.doctor.upgrade.UpgradeObjects.told;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cluster of a later version still has of 1.30, and how it is mended. */
class LeftoverChecksTest {
  private static final String DEPLOYMENT =
      "Deployment {metadata: {namespace: a, name: x}, spec: {template: {spec: {resourceClaims: [%s]}}}}";

  private static List<UpgradeStep> steps(String... objects) {
    return new LeftoverChecks(state(36, false, objects)).steps().toList();
  }

  private static List<UpgradeStep> steps(boolean served, ImmutableSet<String> unreadable) {
    return new LeftoverChecks(
            new UpgradeState("", 36, false, served, ImmutableListMultimap.of(), unreadable))
        .steps()
        .toList();
  }

  @Test
  void onlyWhatCannotBeListedIsDeletedFromEtcd() {
    assertThat(steps(true, ImmutableSet.of("resourceclaims")))
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.kind().blocking()).isTrue();
              assertThat(step.command())
                  .isEqualTo("etcdctl del --prefix /registry/resourceclaims/");
              assertThat(step.message()).contains("deletes later ones of the kind");
            });
    assertThat(steps(true, ImmutableSet.of())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{name: gpu}                                  | ReferenceVanished Deployment a/x",
        "{name: gpu, resourceClaimName: c}            | ''",
        "{name: gpu, resourceClaimTemplateName: t}    | ''",
        "{name: a, resourceClaimName: c}, {name: gpu} | ReferenceVanished Deployment a/x",
      })
  void aTemplateThatLostTheNameOfAClaimIsTold(String entries, String told) {
    assertThat(String.join(",", told(steps(DEPLOYMENT.formatted(entries)).stream())))
        .isEqualTo(told);
  }

  @Test
  void theEntriesThatLostTheirNameAreNamed() {
    UpgradeStep step = steps(DEPLOYMENT.formatted("{name: gpu}, {name: big}")).get(0);

    assertThat(step.message()).isEqualTo("entry gpu, big names no claim any more");
    assertThat(step.command()).isEqualTo("kubectl apply -f new/");
  }

  @Test
  void aPodThatLostTheNameOfItsClaimIsDeleted() {
    assertThat(
            steps("Pod {metadata: {namespace: a, name: p}, spec: {resourceClaims: [{name: gpu}]}}"))
        .extracting(UpgradeStep::command)
        .containsExactly("kubectl -n a delete pod p");
  }

  @ParameterizedTest
  @CsvSource({
    "v1.30.14, Unknown, KubeletDoesNotStart Node n",
    "v1.30.14, 'True', ''",
    "v1.34.0, 'False', ''"
  })
  void aNodeOfAnOldKubeletThatDoesNotComeBackIsTold(String kubelet, String ready, String told) {
    String node =
        ("Node {metadata: {name: n}, status: {nodeInfo: {kubeletVersion: %s},"
                + " conditions: [{type: Ready, status: '%s'}]}}")
            .formatted(kubelet, ready);

    assertThat(String.join(",", told(steps(node).stream()))).isEqualTo(told);
  }

  @Test
  void aServerWithoutTheApiIsToldAndDoesNotBlock() {
    assertThat(told(steps(false, ImmutableSet.of()).stream()))
        .containsExactly("ApiOff? resource.k8s.io");
  }
}
