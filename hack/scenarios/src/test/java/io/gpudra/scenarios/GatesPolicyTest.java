package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** The rules of the policy on the account that lifts gates, evaluated on a pod and its update. */
class GatesPolicyTest {
  private static final Path POLICY = Path.of("../../manifests/components/gates/policy.yaml");
  private static final String OURS = "{'name':'gpu.resource.example.com/granted'}";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_LONG_FOR_INTS).build();
  private static final CelCompiler COMPILER =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("object", SimpleType.DYN)
          .addVar("oldObject", SimpleType.DYN)
          .build();
  private static final CelRuntime RUNTIME = CelRuntimeFactory.standardCelRuntimeBuilder().build();

  /** By message. */
  private static ImmutableMap<String, CelRuntime.Program> rules = ImmutableMap.of();

  @BeforeAll
  static void compile() throws Exception {
    JsonNode policy;
    try (var text = Files.newBufferedReader(POLICY)) {
      policy = JSON.valueToTree(new Yaml().loadAll(text).iterator().next());
    }
    ImmutableMap.Builder<String, CelRuntime.Program> compiled = ImmutableMap.builder();
    for (JsonNode rule : policy.at("/spec/validations")) {
      compiled.put(
          rule.path("message").asText(),
          RUNTIME.createProgram(COMPILER.compile(rule.path("expression").asText()).getAst()));
    }
    rules = compiled.buildOrThrow();
  }

  private static ObjectNode pod(String... gates) throws JsonProcessingException {
    return (ObjectNode)
        json(
            """
            {'metadata':{'name':'p','namespace':'ns','uid':'u','labels':{'a':'b'}},
             'spec':{'containers':[{'name':'c','image':'i'}],'schedulingGates':[%s],
              'tolerations':[{'key':'k'}]}}
            """
                .formatted(String.join(",", gates)));
  }

  private static JsonNode json(String text) throws JsonProcessingException {
    return JSON.readTree(text.replace('\'', '"'));
  }

  /** The messages of the rules that refuse the update. */
  private static ImmutableList<String> refusals(JsonNode before, JsonNode after) throws Exception {
    TypeReference<Map<String, Object>> map = new TypeReference<>() {};
    Map<String, Object> objects =
        Map.of(
            "oldObject",
            JSON.readValue(before.toString(), map),
            "object",
            JSON.readValue(after.toString(), map));
    ImmutableList.Builder<String> refusals = ImmutableList.builder();
    for (Map.Entry<String, CelRuntime.Program> rule : rules.entrySet()) {
      if (!Boolean.TRUE.equals(rule.getValue().eval(objects))) {
        refusals.add(rule.getKey());
      }
    }
    return refusals.build();
  }

  @Test
  void ourGateMayGo() throws Exception {
    assertThat(refusals(pod(OURS), pod())).isEmpty();
    assertThat(refusals(pod("{'name':'mine'}", OURS), pod("{'name':'mine'}"))).isEmpty();
    assertThat(refusals(pod(), pod())).isEmpty();
    assertThat(refusals(pod(OURS), without(pod(), "schedulingGates"))).isEmpty();
  }

  private static ObjectNode without(ObjectNode pod, String field) {
    pod.withObject("/spec").remove(field);
    return pod;
  }

  @Test
  void noOtherGateMayGoOrCome() throws Exception {
    String refusal = "the controller may remove its own scheduling gate only";
    ObjectNode both = pod("{'name':'mine'}", OURS);

    assertThat(refusals(both, pod())).containsExactly(refusal);
    assertThat(refusals(both, pod(OURS))).containsExactly(refusal);
    assertThat(refusals(pod(), pod(OURS))).containsExactly(refusal);
    assertThat(refusals(pod(OURS), pod("{'name':'mine'}"))).containsExactly(refusal);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/metadata | labels | {'a':'c'}",
        "/metadata | annotations | {'a':'c'}",
        "/metadata | finalizers | ['a/b']",
        "/metadata | ownerReferences | [{'uid':'u'}]",
        "/metadata | generateName | 'p-'",
        "/metadata | deletionTimestamp | '2026-01-01T00:00:00Z'",
        "/metadata | deletionGracePeriodSeconds | 0",
        "/spec | nodeSelector | {'a':'b'}",
        "/spec | affinity | {'nodeAffinity':{}}",
        "/spec | tolerations | [{'key':'k'},{'operator':'Exists'}]",
        "/spec | activeDeadlineSeconds | 1",
        "/spec | terminationGracePeriodSeconds | 1",
        "/spec | ephemeralContainers | [{'name':'e','image':'i'}]",
      },
      quoteCharacter = '"')
  void noOtherFieldMayChange(String parent, String field, String value) throws Exception {
    ObjectNode changed = pod();
    changed.withObject(parent).set(field, json(value));
    ObjectNode removed = pod();
    removed.withObject(parent).remove(field);

    assertThat(refusals(pod(OURS), changed))
        .containsExactly("the controller may not change " + parent.substring(1) + "." + field);
    assertThat(refusals(changed, removed)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"containers", "initContainers"})
  void noImageMayChange(String containers) throws Exception {
    ObjectNode before = pod(OURS);
    before.withObject("/spec").set(containers, json("[{'name':'c','image':'i'},{'name':'d'}]"));
    ObjectNode after = pod();
    after.withObject("/spec").set(containers, json("[{'name':'c','image':'j'},{'name':'d'}]"));

    assertThat(refusals(before, after))
        .containsExactly("the controller may not change the images of spec." + containers);
  }

  /** With InPlacePodVerticalScaling an update may change them until 1.32. */
  @ParameterizedTest
  @CsvSource({"containers", "initContainers"})
  void noResourcesMayChange(String containers) throws Exception {
    String refusal = "the controller may not change the resources of spec." + containers;
    String small = "[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]";
    String none = "[{'name':'c','image':'i'}]";
    ObjectNode before = pod(OURS);
    before.withObject("/spec").set(containers, json(small));
    ObjectNode after = pod();
    after.withObject("/spec").set(containers, json(small));
    assertThat(refusals(before, after)).isEmpty();

    after.withObject("/spec").set(containers, json(small.replace("'1'", "'2'")));
    assertThat(refusals(before, after)).containsExactly(refusal);
    after.withObject("/spec").set(containers, json(none));
    assertThat(refusals(before, after)).containsExactly(refusal);
  }

  @Test
  void whatTheServerWritesIsNoChange() throws Exception {
    ObjectNode after = pod();
    after.withObject("/metadata").put("resourceVersion", "2").put("generation", 2);
    after.withObject("/metadata").set("managedFields", json("[{'manager':'m'}]"));

    assertThat(refusals(pod(OURS), after)).isEmpty();
  }

  @Test
  void theRowsAboveAreAllRules() {
    assertThat(rules).hasSize(1 + 4 + 13);
  }
}
