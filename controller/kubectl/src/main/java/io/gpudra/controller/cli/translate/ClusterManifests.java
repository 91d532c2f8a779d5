package io.gpudra.controller.cli.translate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.doctor.ObjectPages;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.yaml.YamlPrinter;
import io.gpudra.controller.translate.ObjectNames;
import io.gpudra.crds.api.GpuApi;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The objects of a cluster as manifests, without what the server adds: classes, claims, parameters,
 * and what describes pods with claims. What has an owner is made by it again.
 *
 * @param namespace empty for all
 * @param driver the name of this driver, whose finalizer goes
 */
record ClusterManifests(ObjectPages pages, String namespace, String driver) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int NOT_FOUND = 404;
  private static final String CLASSIC = "resource.k8s.io/v1alpha2";
  private static final String CLUSTER = "_cluster";
  private static final int MAX_FILE_NAME = 200;

  private static final ImmutableList<ListedKind> KINDS =
      ImmutableList.of(
          new ListedKind(CLASSIC, "ResourceClass", "resourceclasses", ""),
          new ListedKind(GpuApi.GROUP_VERSION, "GpuClassParameters", "gpuclassparameters", ""),
          new ListedKind(GpuApi.GROUP_VERSION, "NodeInventory", "nodeinventories", "/spec/taints"),
          new ListedKind(GpuApi.GROUP_VERSION, "GpuClaimParameters", "gpuclaimparameters", ""),
          new ListedKind(CLASSIC, "ResourceClaimTemplate", "resourceclaimtemplates", ""),
          new ListedKind(CLASSIC, "ResourceClaim", "resourceclaims", ""),
          workload("apps/v1", "Deployment", "deployments"),
          workload("apps/v1", "StatefulSet", "statefulsets"),
          workload("apps/v1", "DaemonSet", "daemonsets"),
          new ListedKind(
              "batch/v1",
              "CronJob",
              "cronjobs",
              "/spec/jobTemplate/spec/template/spec/resourceClaims"),
          workload("batch/v1", "Job", "jobs"),
          workload("apps/v1", "ReplicaSet", "replicasets"),
          workload("v1", "ReplicationController", "replicationcontrollers"),
          new ListedKind("v1", "Pod", "pods", "/spec/resourceClaims"),
          new ListedKind("v1", "PodTemplate", "podtemplates", "/template/spec/resourceClaims"));

  private static final ImmutableList<String> OF_THE_SERVER =
      ImmutableList.of(
          "uid",
          "resourceVersion",
          "generation",
          "creationTimestamp",
          "managedFields",
          "selfLink",
          "ownerReferences");
  private static final ImmutableList<String> OF_TOOLS =
      ImmutableList.of(
          "kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision");

  /**
   * A kind of objects.
   *
   * @param needs where the objects that matter have something; empty if all do
   */
  private record ListedKind(String apiVersion, String kind, String plural, String needs) {

    boolean isOfCluster() {
      return kind.equals("ResourceClass")
          || kind.equals("GpuClassParameters")
          || kind.equals("NodeInventory");
    }

    String path(String namespace) {
      String base = (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion;
      return namespace.isEmpty() || isOfCluster()
          ? base + "/" + plural
          : "%s/namespaces/%s/%s".formatted(base, namespace, plural);
    }

    boolean matters(JsonNode object) {
      boolean owned = !object.at("/metadata/ownerReferences").isEmpty();
      return !owned && (needs.isEmpty() || !object.at(needs).isEmpty());
    }
  }

  private static ListedKind workload(String apiVersion, String kind, String plural) {
    return new ListedKind(apiVersion, kind, plural, "/spec/template/spec/resourceClaims");
  }

  /**
   * Reads the objects, those of the cluster first, then by namespace.
   *
   * @param tooLarge receives kind and name of each object that is left out for its size
   * @throws IOException when a kind cannot be read, or all take too much memory; the message names
   *     the kind or the object
   */
  ImmutableList<ManifestText> read(Consumer<String> tooLarge) throws IOException {
    List<ObjectNode> objects = new ArrayList<>();
    for (ListedKind kind : KINDS) {
      read(kind, objects, tooLarge);
    }
    return objects.stream()
        .sorted(Comparator.comparing(ClusterManifests::namespaceOf))
        .map(object -> new ManifestText(file(object), YamlPrinter.block(object, 0) + "\n"))
        .collect(ImmutableList.toImmutableList());
  }

  /** Without our definitions there are no objects of ours. */
  private void read(ListedKind kind, List<ObjectNode> objects, Consumer<String> tooLarge)
      throws IOException {
    Answer answer =
        pages.list(
            kind.path(namespace),
            object -> {
              boolean matters = kind.matters(object);
              if (matters) {
                objects.add(cleaned(kind, object));
              }
              return matters;
            },
            name -> tooLarge.accept(kind.kind() + " " + name));
    boolean undefined =
        answer.code() == NOT_FOUND && kind.apiVersion().equals(GpuApi.GROUP_VERSION);
    if (!answer.ok() && !undefined) {
      throw new IOException(
          answer.code() == NOT_FOUND
              ? "this cluster has no objects of %s; give files with -f".formatted(kind.apiVersion())
              : "%s cannot be read: the server answered %d"
                  .formatted(kind.plural(), answer.code()));
    }
  }

  private ObjectNode cleaned(ListedKind kind, JsonNode stored) {
    ObjectNode object =
        JSON.createObjectNode().put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
    object.set("metadata", metadata(stored.path("metadata")));
    stored.properties().stream()
        .filter(field -> !field.getKey().equals("status") && !object.has(field.getKey()))
        .forEach(field -> object.set(field.getKey(), field.getValue()));
    return object;
  }

  private ObjectNode metadata(JsonNode stored) {
    ObjectNode metadata = stored.deepCopy();
    metadata.remove(OF_THE_SERVER);
    if (metadata.path("annotations") instanceof ObjectNode annotations) {
      annotations.remove(OF_TOOLS);
    }
    ArrayNode finalizers = JSON.createArrayNode();
    Streams.stream(stored.path("finalizers"))
        .filter(finalizer -> !finalizer.asText().startsWith(driver + "/"))
        .forEach(finalizers::add);
    metadata.set("finalizers", finalizers);
    metadata
        .properties()
        .removeIf(field -> field.getValue().isEmpty() && !field.getValue().isValueNode());
    return metadata;
  }

  private static String namespaceOf(JsonNode object) {
    return object.at("/metadata/namespace").asText();
  }

  private static String file(JsonNode object) {
    String place = namespaceOf(object);
    return "%s/%s.%s.yaml"
        .formatted(
            place.isEmpty() ? CLUSTER : fileName(place),
            Ascii.toLowerCase(object.path("kind").asText()),
            fileName(object.at("/metadata/name").asText()));
  }

  /** A name of an object has 253 characters, that of a file 255, and no path. */
  private static String fileName(String name) {
    return ObjectNames.fitting(name.replaceAll("[^A-Za-z0-9.-]|^[.]+", "_"), MAX_FILE_NAME);
  }
}
