package io.gpudra.controller.manifest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.model.ClaimRef;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The objects of files.
 *
 * @param templates by {@code namespace/name}
 * @param claimParameters by {@code namespace/name}
 * @param namespaces labels of namespaces
 * @param workloads in the order of the files
 * @param ignored objects of other kinds, as {@code kind name}
 * @param problems sentences that name document and field; if there is one, the rest must not be
 *     used
 */
public record ManifestSet(
    ImmutableMap<ClaimRef, ClaimFacts> claims,
    ImmutableMap<String, ClaimTemplate> templates,
    ImmutableMap<String, ClassFacts> classes,
    ImmutableMap<String, GpuClaimParameters> claimParameters,
    ImmutableMap<String, GpuClassParameters> classParameters,
    ImmutableMap<String, ImmutableMap<String, String>> namespaces,
    ImmutableList<Workload> workloads,
    ImmutableList<String> ignored,
    ImmutableList<String> problems) {

  /** A unique and stable UID for an object without one. */
  public static String uid(String kind, String namespace, String name) {
    String text = "draft " + kind + " " + namespace + "/" + name;
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
