package io.gpudra.crds.api.parameters;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Streams;
import io.gpudra.crds.CrdYaml;
import io.gpudra.crds.api.problem.FieldRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule about several fields is in the schema with the same sentence, and no other is. */
class RuleSentencesTest {
  private static final String CLAIM = GpuClaimParameters.PLURAL;
  private static final String CLASS = GpuClassParameters.PLURAL;

  private static final ImmutableList<String> OF_A_REQUEST =
      ImmutableList.<String>builder()
          .addAll(sentences(RequestRules.PARTS))
          .addAll(sentences(RequestRules.OF_MIG_DEVICES))
          .build();

  private static final ImmutableList<String> OF_SHARING = sentences(SharingRules.STRATEGIES);

  /** Those of a value by itself are met by values, in the tests of rules. */
  private static final ImmutableListMultimap<String, String> FOUND =
      ImmutableListMultimap.<String, String>builder()
          .putAll(objects(CLAIM))
          .putAll(objects(CLASS))
          .build();

  private static <T> ImmutableList<String> sentences(List<FieldRule<T>> rules) {
    return rules.stream().map(FieldRule::text).collect(toImmutableList());
  }

  private static ImmutableListMultimap<String, String> objects(String plural) {
    ImmutableListMultimap.Builder<String, String> found = ImmutableListMultimap.builder();
    CrdYaml.walk(
        plural,
        CrdYaml.property(plural, "spec"),
        (path, schema) -> {
          if (schema.has("properties")) {
            found.putAll(path, messages(schema));
          }
        });
    return found.build();
  }

  private static List<String> messages(JsonNode schema) {
    return Streams.stream(schema.path("x-kubernetes-validations"))
        .map(rule -> rule.path("message").asText())
        .toList();
  }

  static Stream<Arguments> rules() {
    return Stream.of(
        Arguments.of(
            CLAIM, Streams.concat(OF_A_REQUEST.stream(), sentences(ClaimSpecRules.RULES).stream())),
        Arguments.of(CLAIM + ".sharing", OF_SHARING.stream()),
        Arguments.of(CLAIM + ".requests[]", OF_A_REQUEST.stream()),
        Arguments.of(CLAIM + ".requests[].sharing", OF_SHARING.stream()),
        Arguments.of(CLAIM + ".alternatives[]", OF_A_REQUEST.stream()),
        Arguments.of(CLAIM + ".alternatives[].sharing", OF_SHARING.stream()),
        Arguments.of(CLAIM + ".tolerations[]", sentences(TolerationRules.RULES).stream()),
        Arguments.of(CLASS, sentences(ClassSpecRules.RULES).stream()),
        Arguments.of(CLASS + ".sharing", OF_SHARING.stream()));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theSchemaSaysWhatTheRulesSay(String path, Stream<String> sentences) {
    assertThat(FOUND.get(path)).containsExactlyInAnyOrderElementsOf(sentences.toList());
  }

  @Test
  void noOtherObjectHasRules() {
    assertThat(FOUND.keySet())
        .containsExactlyInAnyOrderElementsOf(rules().map(row -> (String) row.get()[0]).toList());
  }
}
