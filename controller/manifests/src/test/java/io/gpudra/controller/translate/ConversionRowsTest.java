package io.gpudra.controller.translate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import com.google.common.io.Resources;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.convert.ConversionField;
import io.gpudra.controller.translate.convert.ManifestConversion;
import io.gpudra.controller.translate.migrate.ManifestMigration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases of {@code rows-convert.yaml}, each of one row of the table or more. */
class ConversionRowsTest {
  private static final String TAINTED =
      """
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: NodeInventory
      metadata: {name: n1}
      spec:
        taints:
        - {device: gpu-0, key: d/fan, effect: NoSchedule, reason: fan swap}
        - {key: all, effect: NoExecute}
      """;

  private static final String RULES =
      """
      apiVersion: resource.k8s.io/v1beta2
      kind: DeviceTaintRule
      metadata:
        name: n1-gpu-0-fan
      spec:
        deviceSelector:
          driver: gpu.resource.example.com
          pool: n1
          device: gpu-0
        taint:
          key: d/fan
          effect: NoSchedule
      ---
      apiVersion: resource.k8s.io/v1beta2
      kind: DeviceTaintRule
      metadata:
        name: n1-all-all
      spec:
        deviceSelector:
          driver: gpu.resource.example.com
          pool: n1
        taint:
          key: all
          effect: NoExecute
      """;

  private static final String DRIVER = "gpu.resource.example.com";
  private static final Options OPTIONS =
      new Options(DRIVER, DRIVER, TargetVersion.V1_36, "gpu.example.com", "4Gi");

  /** What is given, what becomes of it, and what is remarked, as {@code weight: ROW: path}. */
  record Case(
      ImmutableList<String> rows, String given, String becomes, ImmutableList<String> remarks) {

    static Case of(JsonNode json) {
      return new Case(
          texts(json.path("rows")),
          json.path("given").asText(),
          json.path("becomes").asText(json.path("given").asText()),
          texts(json.path("remarks")));
    }

    private static ImmutableList<String> texts(JsonNode list) {
      return Streams.stream(list).map(JsonNode::asText).collect(toImmutableList());
    }

    @Override
    public String toString() {
      return String.join(" ", rows);
    }
  }

  static List<Case> cases() throws IOException {
    String text =
        Resources.toString(
            Resources.getResource(ConversionRowsTest.class, "rows-convert.yaml"),
            StandardCharsets.UTF_8);
    return YamlDocuments.of(text).documents().get(0).root().items().stream()
        .map(LocatedValue::value)
        .map(Case::of)
        .toList();
  }

  private static TranslationResult converted(String text) {
    return ManifestConversion.translator(OPTIONS).translate(List.of(new ManifestText("f", text)));
  }

  private static String text(TranslationResult result) {
    return requireNonNull(result.files().get("f"));
  }

  private static String told(TranslationRemark remark) {
    String path = remark.path().isEmpty() ? "" : ": " + remark.path();
    return "%s: %s%s".formatted(remark.weight().text(), remark.row().name(), path);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void eachCaseHolds(Case row) {
    TranslationResult result = converted(row.given());

    assertThat(result.problems()).isEmpty();
    assertThat(text(result)).isEqualTo(row.becomes());
    assertThat(result.remarks().stream().map(ConversionRowsTest::told))
        .containsExactlyElementsOf(row.remarks());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void convertingTwiceChangesNothing(Case row) {
    assertThat(text(converted(row.becomes()))).isEqualTo(row.becomes());
  }

  @ParameterizedTest
  @EnumSource(ConversionField.class)
  void everyRowHasACase(ConversionField row) throws IOException {
    assertThat(cases().stream().flatMap(one -> one.rows().stream())).contains(row.name());
  }

  @Test
  void aTaintThatNoRuleCanHaveIsTold() {
    TranslationResult result =
        ManifestMigration.translator(OPTIONS).translate(List.of(new ManifestText("f", TAINTED)));

    assertThat(text(result)).isEqualTo(RULES);
    assertThat(result.remarks().stream().map(ConversionRowsTest::told))
        .containsExactly("lost: TAINT_FIELD: spec.taints");
    assertThat(result.gates())
        .containsExactly("DRADeviceTaintRules with --runtime-config=resource.k8s.io/v1beta2=true");
    assertThat(Stream.of(text(converted(text(result)))))
        .allMatch(text -> text.contains("kind: NodeInventory") && text.contains("device: '*'"));
  }
}
