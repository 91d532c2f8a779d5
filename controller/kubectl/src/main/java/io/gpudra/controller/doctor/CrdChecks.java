package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.io.Resources;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.quota.GpuQuota;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Checks that the CRDs of the cluster have all fields of this release. */
record CrdChecks(InstallationReader reader) {
  private static final ImmutableSet<String> PLURALS =
      ImmutableSet.of(
          GpuClaimParameters.PLURAL,
          GpuClassParameters.PLURAL,
          GpuQuota.PLURAL,
          NodeInventory.PLURAL);

  /** Missing fields by CRD; none if the whole CRD is missing. */
  ImmutableMap<String, ImmutableSet<String>> outdated() throws IOException {
    ImmutableMap.Builder<String, ImmutableSet<String>> outdated = ImmutableMap.builder();
    for (String plural : PLURALS) {
      String name = plural + "." + GpuApi.GROUP;
      String what = "CustomResourceDefinition " + name;
      JsonNode there =
          reader.get(what, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + name);
      boolean hidden = reader.unseen().stream().anyMatch(text -> text.startsWith(what));
      Set<String> missing = Sets.difference(fields(shipped(plural)), fields(there));
      if (!hidden && (there.isMissingNode() || !missing.isEmpty())) {
        outdated.put(
            name,
            there.isMissingNode() ? ImmutableSet.of() : ImmutableSet.copyOf(outermost(missing)));
      }
    }
    return outdated.buildOrThrow();
  }

  private static JsonNode shipped(String plural) throws IOException {
    String text =
        Resources.toString(
            Resources.getResource("io/gpudra/crds/" + plural + ".yaml"), StandardCharsets.UTF_8);
    return InstallationReader.JSON.valueToTree(
        new Yaml(new SafeConstructor(new LoaderOptions())).load(text));
  }

  private static Set<String> fields(JsonNode crd) {
    Set<String> fields = new HashSet<>();
    crd.at("/spec/versions")
        .forEach(version -> add("", version.at("/schema/openAPIV3Schema"), fields));
    return fields;
  }

  private static void add(String path, JsonNode schema, Set<String> fields) {
    schema
        .path("properties")
        .properties()
        .forEach(
            property -> {
              String its = path.isEmpty() ? property.getKey() : path + "." + property.getKey();
              fields.add(its);
              add(its, property.getValue(), fields);
            });
    if (schema.has("items")) {
      add(path, schema.path("items"), fields);
    }
  }

  /** Keeps only the outermost of nested missing fields. */
  private static Set<String> outermost(Set<String> fields) {
    return Sets.filter(
        fields,
        field -> {
          int dot = field.lastIndexOf('.');
          return dot < 0 || !fields.contains(field.substring(0, dot));
        });
  }
}
