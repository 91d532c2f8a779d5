package io.gpudra.controller.lint;

import static io.gpudra.controller.lint.LintSamples.claimParameters;
import static io.gpudra.controller.lint.LintSamples.findings;
import static io.gpudra.controller.lint.LintSamples.object;
import static io.gpudra.controller.lint.LintSamples.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Groups and scheduling gates, as far as the texts have them. */
class GroupLintTest {
  private static final String GATE =
      "schedulingGates: [{name: gpu.resource.example.com/granted}], ";
  private static final String GROUP = "gpu.resource.example.com/group: g";
  private static final String THREE = GROUP + ", gpu.resource.example.com/group-size: '3'";
  private static final String SIZE_AT =
      "spec.template.metadata.labels[gpu.resource.example.com/group-size]: ";
  private static final String PAGE = "; see docs/user/groups.md";

  private static String pods(String labels, String gates) {
    return "template: {metadata: {labels: {%s}}, spec: {%scontainers: []}}"
        .formatted(labels, gates);
  }

  private static String job(String name, String counts, String labels, String gates) {
    return object("batch/v1", "Job", name, "spec: {%s %s}".formatted(counts, pods(labels, gates)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'3' |",
        "3 | Invalid value: 3: a number from \"2\" to \"1024\" in quotation marks is allowed",
        "'1' | Invalid value: \"1\": a number from \"2\" to \"1024\" in quotation marks is allowed",
        "'1025' | Invalid value: \"1025\": a number from \"2\" to \"1024\" in quotation marks is"
            + " allowed",
        "three | Invalid value: \"three\": a number from \"2\" to \"1024\" in quotation marks is"
            + " allowed",
        "'4' | Invalid value: \"4\": the group has 3 pods at a time here (completions, parallelism,"
            + " replicas)",
      })
  void theSizeIsTheNumberOfPods(String size, @Nullable String text) {
    String labels = GROUP + ", gpu.resource.example.com/group-size: " + size;

    assertThat(texts(job("a", "completions: 3, parallelism: 4,", labels, GATE)))
        .isEqualTo(text == null ? List.of() : List.of(SIZE_AT + text + PAGE));
  }

  @Test
  void aGroupWithoutSizeAndASizeWithoutGroupAreTold() {
    assertThat(texts(job("a", "", GROUP, GATE)))
        .containsExactly(SIZE_AT + "Required value: the number of members of the group" + PAGE);
    assertThat(texts(job("a", "", "gpu.resource.example.com/group-size: '3'", "")))
        .containsExactly(
            SIZE_AT + "Forbidden: there is no label gpu.resource.example.com/group" + PAGE);
  }

  @Test
  void thePodsOfAllObjectsOfAGroupCount() {
    String two = job("two", "parallelism: 2,", THREE, GATE);
    String one = object("v1", "Pod", "one", "spec: {%scontainers: []}".formatted(GATE));
    String member = one.replace("{name: one}", "{name: one, labels: {%s}}".formatted(THREE));
    String scaled =
        object("apps/v1", "StatefulSet", "s", "spec: {replicas: 1, " + pods(THREE, GATE) + "}");

    assertThat(texts(two, member)).isEmpty();
    assertThat(texts(two + scaled)).isEmpty();
    assertThat(texts(two, member, scaled))
        .hasSize(3)
        .allMatch(text -> text.contains("the group has 4 pods at a time here"));
    assertThat(texts(two, member.replace("name: one,", "name: one, namespace: n,")))
        .as("two groups, of which pods may be in other texts")
        .singleElement()
        .asString()
        .contains("the group has 2 pods at a time here");
    assertThat(
            texts(two + object("apps/v1", "DaemonSet", "d", "spec: {" + pods(THREE, GATE) + "}")))
        .as("a number of pods that only the cluster knows")
        .isEmpty();
  }

  @Test
  void sizesOfAGroupAgree() {
    String other = job("b", "parallelism: 2,", THREE.replace("'3'", "'5'"), GATE);

    assertThat(texts(job("a", "", THREE, GATE) + other))
        .containsExactly(
            SIZE_AT + "Invalid value: \"3\": \"5\" of Job b, of the same group" + PAGE,
            SIZE_AT + "Invalid value: \"5\": \"3\" of Job a, of the same group" + PAGE);
  }

  @Test
  void aGroupHasTheGateInItsPodsOrInItsNamespace() {
    String job =
        job("a", "parallelism: 3,", THREE, "").replace("{name: a}", "{name: a, namespace: n}");
    String namespace =
        """
        ---
        apiVersion: v1
        kind: Namespace
        metadata: {name: n, labels: {gpu.resource.example.com/grant-first: '%s'}}
        """;

    assertThat(findings(job))
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.path()).isEqualTo("spec.template.spec.schedulingGates");
              assertThat(one.text())
                  .isEqualTo(
                      one.path()
                          + ": Required value: \"gpu.resource.example.com/granted\": without this"
                          + " gate the labels of the group have no effect"
                          + PAGE);
            });
    assertThat(texts(job, namespace.formatted("false"))).hasSize(1);
    assertThat(texts(job, namespace.formatted("true"))).isEmpty();
  }

  @Test
  void aGateThatNothingRemovesIsTold() {
    String gate = GATE.replace("granted", "grante");

    assertThat(texts(object("v1", "Pod", "p", "spec: {%scontainers: []}".formatted(gate))))
        .containsExactly(
            "spec.schedulingGates[0].name: Invalid value: \"gpu.resource.example.com/grante\":"
                + " nothing removes this gate, did you mean \"gpu.resource.example.com/granted\"?");
    assertThat(texts(object("v1", "Pod", "p", "spec: {%scontainers: []}".formatted(GATE))))
        .containsExactly(
            "spec.schedulingGates: Forbidden: \"gpu.resource.example.com/granted\" has no effect"
                + " without claims");
  }

  @Test
  void theSizeOfAGangIsNoField() {
    assertThat(texts(claimParameters("x", "{gangSize: 4}")))
        .containsExactly(
            "strict decoding error: unknown field \"spec.gangSize\", no such field" + PAGE);
  }
}
