package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/** What claims ask for, by the name of their parameters. */
final class Wants {
  private static final ImmutableMap<String, String> SPECS =
      ImmutableMap.<String, String>builder()
          .put("one", "{'count': 1, 'shareable': true}")
          .put("two", "{'count': 2, 'shareable': true}")
          .put("edited", "{'count': 1, 'shareable': true}")
          .put("alone", "{'count': 1, 'shareable': false}")
          .put("slice", "{'migProfile': '1g.5gb'}")
          .put("slices", "{'migProfile': '2g.10gb', 'count': 2}")
          .put("half", "{'migProfile': '3g.20gb', 'shareable': false}")
          .put("share", "{'mode': 'shared', 'memoryLimit': '16Gi', 'millicores': 300}")
          .put("shares", "{'mode': 'shared', 'memoryLimit': '24Gi', 'count': 2}")
          .put(
              "turns",
              "{'mode': 'shared', 'memoryLimit': '12Gi', 'sharing': {'timeSlicingConfig': {'interval': 'Long'}}}")
          .put(
              "served", "{'mode': 'shared', 'memoryLimit': '10Gi', 'sharing': {'strategy': 'MPS'}}")
          .put(
              "parted",
              "{'sharing': {'strategy': 'SpacePartitioning', 'spacePartitioningConfig': {'partitionCount': 4}}}")
          .put("either", "{'alternatives': [{'count': 2}, {'migProfile': '1g.5gb', 'count': 2}]}")
          .put("outer", "{'migProfile': '2g.10gb'}")
          .put("inner", "{'migProfile': '1c.2g.10gb', 'insideClaim': 'e0'}")
          .put("cut", "{'migProfile': '1g.5gb', 'insideClaim': 'e0'}")
          .put("both", "{'requests': [{'name': 'all'}, {'name': 'some', 'migProfile': '2g.10gb'}]}")
          .buildOrThrow();

  /** Where no GPU can be cut. */
  static final ImmutableList<String> WHOLE =
      ImmutableList.of("one", "one", "one", "two", "edited", "alone");

  /** Where some can. */
  static final ImmutableList<String> OF_ALL_KINDS =
      ImmutableList.<String>builder()
          .add("one", "two", "edited", "alone", "slice", "slice", "slices", "half", "share")
          .add("share", "shares", "turns", "served", "served", "parted", "either", "both")
          .build();

  /** Of which there are templates. */
  static final ImmutableList<String> TEMPLATES =
      ImmutableList.of("one", "two", "edited", "slice", "served");

  /** Templates of which claims are inside the claim of the pod's first entry. */
  static final ImmutableList<String> INSIDE = ImmutableList.of("inner", "cut");

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_SINGLE_QUOTES).build();

  private Wants() {}

  static Iterable<String> names() {
    return SPECS.keySet();
  }

  static GpuClaimParametersSpec spec(String name) {
    try {
      return JSON.readValue(SPECS.get(name), GpuClaimParametersSpec.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(name, e);
    }
  }

  static GpuClaimParameters object(String name, GpuClaimParametersSpec spec, long generation) {
    return new GpuClaimParameters(
        GpuApi.GROUP_VERSION,
        GpuClaimParameters.KIND,
        new V1ObjectMeta().name(name).generation(generation),
        spec);
  }
}
