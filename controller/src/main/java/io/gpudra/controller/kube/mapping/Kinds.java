package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.watch.Fields;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.model.node.NodeState;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1alpha2PodSchedulingContext;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClass;
import java.util.function.Function;

/** What is read: from where, which fields of it, and what is kept of them. */
final class Kinds {
  static final String RESOURCE_API = "resource.k8s.io/v1alpha2";
  private static final String GPU_API = GpuApi.GROUP + "/" + GpuApi.VERSION;

  private Kinds() {}

  static <V> WatchedKind<V1alpha2ResourceClaim, V> claims(Function<V1alpha2ResourceClaim, V> keep) {
    return resource(
        "resourceclaims",
        "ResourceClaim",
        Fields.of(
            "metadata.creationTimestamp",
            "metadata.deletionTimestamp",
            "metadata.finalizers",
            "metadata.ownerReferences",
            "spec",
            "status"),
        V1alpha2ResourceClaim.class,
        keep);
  }

  static WatchedKind<V1alpha2PodSchedulingContext, ContextFacts> contexts() {
    return resource(
        "podschedulingcontexts",
        "PodSchedulingContext",
        Fields.of(
            "metadata.creationTimestamp",
            "metadata.deletionTimestamp",
            "metadata.ownerReferences",
            "spec",
            "status"),
        V1alpha2PodSchedulingContext.class,
        ContextMapping::facts);
  }

  static WatchedKind<V1alpha2ResourceClass, ClassFacts> classes() {
    return resource(
        "resourceclasses",
        "ResourceClass",
        Fields.of("driverName", "structuredParameters", "parametersRef", "suitableNodes"),
        V1alpha2ResourceClass.class,
        ClassMapping::facts);
  }

  /** Most of a node are its images. */
  static WatchedKind<V1Node, NodeState> nodes() {
    return new WatchedKind<>(
        "/api/v1/nodes",
        "v1",
        "Node",
        Fields.of("metadata.labels", "spec.unschedulable", "spec.taints", "status.conditions"),
        V1Node.class,
        NodeMapping::state);
  }

  static WatchedKind<V1Namespace, ImmutableMap<String, String>> namespaces() {
    return new WatchedKind<>(
        "/api/v1/namespaces",
        "v1",
        "Namespace",
        Fields.of("metadata.labels"),
        V1Namespace.class,
        NamespaceMapping::labels);
  }

  static WatchedKind<V1Pod, V1Pod> pods() {
    return new WatchedKind<>(
        "/api/v1/pods",
        "v1",
        "Pod",
        Fields.of(
            "metadata.deletionTimestamp",
            "spec.resourceClaims",
            "status.phase",
            "status.resourceClaimStatuses"),
        V1Pod.class,
        Function.identity());
  }

  static WatchedKind<NodeInventory, NodeInventory> inventories() {
    return gpu(NodeInventory.PLURAL, NodeInventory.KIND, NodeInventory.class);
  }

  static WatchedKind<GpuClaimParameters, GpuClaimParameters> claimParameters() {
    return gpu(GpuClaimParameters.PLURAL, GpuClaimParameters.KIND, GpuClaimParameters.class);
  }

  static WatchedKind<GpuClassParameters, GpuClassParameters> classParameters() {
    return gpu(GpuClassParameters.PLURAL, GpuClassParameters.KIND, GpuClassParameters.class);
  }

  private static <T, V> WatchedKind<T, V> resource(
      String plural, String kind, Fields fields, Class<T> type, Function<T, V> keep) {
    return new WatchedKind<>(
        "/apis/" + RESOURCE_API + "/" + plural, RESOURCE_API, kind, fields, type, keep);
  }

  /** Their schema limits what stands below the two. */
  private static <T extends KubernetesObject> WatchedKind<T, T> gpu(
      String plural, String kind, Class<T> type) {
    return new WatchedKind<>(
        "/apis/" + GPU_API + "/" + plural,
        GPU_API,
        kind,
        Fields.of("metadata.generation", "spec", "status"),
        type,
        Function.identity());
  }

  /** Path of a namespaced object of the resource API. */
  static String path(String namespace, String plural, String name) {
    return "/apis/" + RESOURCE_API + "/namespaces/" + namespace + "/" + plural + "/" + name;
  }
}
