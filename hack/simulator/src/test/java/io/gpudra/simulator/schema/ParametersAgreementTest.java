package io.gpudra.simulator.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.io.Resources;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.quota.GpuQuota;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The rules of parameters and quotas are said in the schema and in Java: they must not disagree.
 */
class ParametersAgreementTest {
  private static final int TRIES = 1500;
  private static final int TRIES_OF_A_CLASS = 300;

  /** Good and bad values; a field is there in one of three objects. */
  private static final ImmutableListMultimap<String, String> BODY =
      ImmutableListMultimap.<String, String>builder()
          .putAll("count", "0", "1", "2", "30", "64", "65")
          .putAll("all", "true", "false")
          .putAll("memory", "'16Gi'", "'16'")
          .putAll("capabilities", "['ecc']", "['nvlink','ecc']", "['ecc','ecc']", "[]", "['x']")
          .putAll("migProfile", "'1g.5gb'", "'1c.2g.10gb'", "'2g.48gb+me.all'", "'1g'")
          .putAll("cel", "'true'", "''")
          .putAll("mode", "'shared'", "'exclusive'", "'x'")
          .putAll("memoryLimit", "'4Gi'", "'4'")
          .putAll("millicores", "500", "0", "1001")
          .putAll(
              "sharing",
              "{}",
              "{'timeSlicingConfig':{}}",
              "{'timeSlicingConfig':{'interval':'Long'}}",
              "{'strategy':'MPS'}",
              "{'strategy':'MPS','timeSlicingConfig':{'interval':'Default'}}",
              "{'strategy':'MPS','mpsConfig':{'defaultPinnedDeviceMemoryLimit':'1Gi'}}",
              "{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'0':'1Gi'}}}",
              "{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'16':'1Gi'}}}",
              "{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':101}}",
              "{'mpsConfig':{}}",
              "{'strategy':'SpacePartitioning'}",
              "{'strategy':'SpacePartitioning','spacePartitioningConfig':{'partitionCount':2}}",
              "{'spacePartitioningConfig':{'partitionCount':0}}",
              "{'strategy':'x'}")
          .build();

  private static final ImmutableListMultimap<String, String> CLAIM =
      ImmutableListMultimap.<String, String>builder()
          .putAll("memoryPerGpu", "'40Gi'", "'40'")
          .putAll("topology", "'nvlink'", "'numa'", "'x'")
          .putAll("topologyPolicy", "'Required'", "'Preferred'", "'x'")
          .putAll("sameAttribute", "['pcieRoot']", "['brand','brand']", "[]", "['x']")
          .putAll("insideClaim", "'gpu'", "'A'", "''")
          .putAll("placement", "'pack'")
          .putAll(
              "tolerations",
              "[]",
              "[{}]",
              "[{'key':'a'},{'operator':'Exists','value':''}]",
              "[{'operator':'Exists'},{'key':'','effect':'x'}]",
              "[{'key':'a','effect':'NoExecute','tolerationSeconds':5}]",
              "[{'key':'a','tolerationSeconds':-1}]")
          .putAll("shareable", "true", "false")
          .build();

  private static final ImmutableListMultimap<String, String> CLASS =
      ImmutableListMultimap.<String, String>builder()
          .putAll("deviceSelector", "[]", "[{'type':'mig','name':'*'}]", "[{'type':'x'}]")
          .putAll("cel", "'true'", "''")
          .putAll("forbiddenAttributes", "['node','uuid']", "['uuid','uuid']", "[]", "['x']")
          .putAll("namespaceSelector", "{}", "{'matchExpressions':[{'key':'a','operator':'x'}]}")
          .putAll("mode", "'shared'", "'exclusive'", "'x'")
          .putAll("monitor", "true", "false")
          .putAll("sharing", BODY.get("sharing"))
          .putAll("placement", "'pack'")
          .putAll("topology", "'nvlink'", "'numa'", "'x'")
          .putAll("topologyPolicy", "'Required'", "'Preferred'", "'x'")
          .putAll("enforceLimits", "true", "false")
          .putAll("memoryOvercommitPercent", "99", "100", "150", "401")
          .putAll(
              "limits",
              "{}",
              "{'devicesPerClaim':4}",
              "{'devicesPerClaim':65}",
              "{'claimDuration':'1h30m'}",
              "{'claimDuration':''}",
              "{'claimDuration':'1 day'}")
          .build();

  private static final ImmutableListMultimap<String, String> HARD =
      ImmutableListMultimap.<String, String>builder()
          .putAll("gpus", "0", "4", "-1", "'2.5'", "'500m'", "'1.2345'", "'m'", "''", "'4Gi'")
          .putAll("memory", "'16Gi'", "'1.5T'", "'16'", "'0.5Gi'", "'0Gi'", "'12345678901234567Gi'")
          .build();

  private static final ImmutableListMultimap<String, String> QUOTA =
      ImmutableListMultimap.<String, String>builder()
          .putAll("resourceClassNames", "[]", "['a','b']", "['a','a']", "['']")
          .build();

  private final Random random = new Random(11);

  @Test
  void aClaimThatTheSchemaTakesHasNoProblemAndOneThatItRefusesHas() {
    Definition definition = Definition.of("gpuclaimparameters");
    int taken = 0;
    for (int i = 0; i < TRIES; i++) {
      ObjectNode spec = claim();
      List<String> ours = read(spec, GpuClaimParameters.class).problems();
      assertThat(ours.isEmpty()).as("%s: %s", spec, ours).isEqualTo(definition.takes(spec));
      taken += ours.isEmpty() ? 1 : 0;
    }
    assertThat(taken).isBetween(TRIES / 20, TRIES / 2);
  }

  @Test
  void aClassThatTheSchemaTakesHasNoProblemAndOneThatItRefusesHas() {
    Definition definition = Definition.of("gpuclassparameters");
    for (int i = 0; i < TRIES_OF_A_CLASS; i++) {
      ObjectNode spec = some(CLASS, 5);
      List<String> ours = read(spec, GpuClassParameters.class).problems();
      assertThat(ours.isEmpty()).as("%s: %s", spec, ours).isEqualTo(definition.takes(spec));
    }
  }

  @Test
  void aQuotaThatTheSchemaTakesHasNoProblemAndOneThatItRefusesHas() {
    Definition definition = Definition.of("gpuquotas");
    int taken = 0;
    for (int i = 0; i < TRIES_OF_A_CLASS; i++) {
      ObjectNode spec = some(QUOTA, 2);
      if (random.nextInt(10) > 0) {
        spec.set("hard", some(HARD, 2));
      }
      List<String> ours = read(spec, GpuQuota.class).problems();
      assertThat(ours.isEmpty()).as("%s: %s", spec, ours).isEqualTo(definition.takes(spec));
      taken += ours.isEmpty() ? 1 : 0;
    }
    assertThat(taken).isBetween(TRIES_OF_A_CLASS / 20, TRIES_OF_A_CLASS / 2);
  }

  private ObjectNode claim() {
    int lists = random.nextInt(6);
    ObjectNode spec = some(BODY, lists == 0 ? 6 : 50);
    spec.setAll(some(CLAIM, 12));
    if (lists == 1 || lists == 2 || lists == 5) {
      spec.set("requests", entries(/* named= */ true));
    }
    if (lists == 3 || lists == 5) {
      spec.set("alternatives", entries(/* named= */ false));
    }
    return spec;
  }

  private ArrayNode entries(boolean named) {
    ArrayNode entries = Json.MAPPER.createArrayNode();
    for (int i = random.nextInt(5) == 0 ? random.nextInt(10) : 2; i > 0; i--) {
      ObjectNode entry = some(BODY, 20);
      if (named) {
        entry.put("name", random.nextInt(30) == 0 ? "A" : "r" + random.nextInt(100));
      }
      entries.add(entry);
    }
    return entries;
  }

  /** Each field in one of so many objects. */
  private ObjectNode some(ImmutableListMultimap<String, String> fields, int oneIn) {
    ObjectNode object = Json.object();
    for (String field : fields.keySet()) {
      if (random.nextInt(oneIn) == 0) {
        String value = fields.get(field).get(random.nextInt(fields.get(field).size()));
        String json = "{'%s':%s}".formatted(field, value).replace('\'', '"');
        object.setAll(Json.parse(json));
      }
    }
    return object;
  }

  private static <T> T read(ObjectNode spec, Class<T> kind) {
    try {
      return Json.MAPPER.treeToValue(Json.object("spec", spec), kind);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the server would do with an object. */
  private record Definition(JsonNode schema, CelRules rules) {

    static Definition of(String plural) {
      try {
        URL yaml = Resources.getResource("io/gpudra/crds/" + plural + ".yaml");
        JsonNode schema =
            new YAMLMapper()
                .readTree(Resources.toString(yaml, StandardCharsets.UTF_8))
                .at("/spec/versions/0/schema/openAPIV3Schema");
        return new Definition(schema, new CelRules(schema));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    boolean takes(ObjectNode spec) {
      ObjectNode object = Json.object("spec", spec.deepCopy());
      Pruning.fillDefaults(object, schema);
      Problems problems = new Problems();
      Schema.check(object, schema, problems);
      if (!problems.areBlocking()) {
        rules.check(object, Optional.empty(), problems);
      }
      return problems.isEmpty();
    }
  }
}
