package io.gpudra.controller.kube.mapping;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ObjectArrays;
import com.google.common.collect.Streams;
import io.gpudra.controller.client.watch.FieldFilter;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.quota.GpuQuota;
import io.gpudra.crds.model.node.NodeState;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1alpha2PodSchedulingContext;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimTemplate;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClass;
import java.util.function.Function;
import java.util.stream.Stream;

/** The kinds that are read: path, fields, and their mappings. */
public final class ResourceKinds {
  /** Group and version of Kubernetes' own resource API. */
  public static final String RESOURCE_API = "resource.k8s.io/v1alpha2";

  private static final String GPU_API = GpuApi.GROUP + "/" + GpuApi.VERSION;

  private ResourceKinds() {}

  /** The caller chooses the mapping. */
  public static <V> WatchedKind<V1alpha2ResourceClaim, V> claims(
      Function<V1alpha2ResourceClaim, V> keep) {
    return resource(
        "resourceclaims",
        "ResourceClaim",
        ofOwned("metadata.finalizers", "metadata.ownerReferences.name"),
        V1alpha2ResourceClaim.class,
        keep);
  }

  /** The caller chooses the mapping. */
  public static <V> WatchedKind<V1alpha2ResourceClaimTemplate, V> templates(
      Function<V1alpha2ResourceClaimTemplate, V> keep) {
    return resource(
        "resourceclaimtemplates",
        "ResourceClaimTemplate",
        FieldFilter.of("spec"),
        V1alpha2ResourceClaimTemplate.class,
        keep);
  }

  /** The contexts for all drivers. */
  public static WatchedKind<V1alpha2PodSchedulingContext, ContextFacts> contexts() {
    return resource(
        "podschedulingcontexts",
        "PodSchedulingContext",
        ofOwned(),
        V1alpha2PodSchedulingContext.class,
        ContextMapping::facts);
  }

  /**
   * Reads of an owner only the fields that show whether it is the controller: an object may have
   * 60,000.
   */
  private static FieldFilter ofOwned(String... more) {
    String[] fields = {
      "metadata.creationTimestamp",
      "metadata.deletionTimestamp",
      "metadata.ownerReferences.controller",
      "metadata.ownerReferences.uid",
      "spec",
      "status"
    };
    return FieldFilter.of(ObjectArrays.concat(fields, more, String.class));
  }

  /** The classes of all drivers. */
  public static WatchedKind<V1alpha2ResourceClass, ClassFacts> classes() {
    return resource(
        "resourceclasses",
        "ResourceClass",
        FieldFilter.of("driverName", "structuredParameters", "parametersRef", "suitableNodes"),
        V1alpha2ResourceClass.class,
        ClassMapping::facts);
  }

  /** Nodes without images, which are most of a Node object. */
  public static WatchedKind<V1Node, NodeState> nodes() {
    return core(
        "nodes",
        "Node",
        FieldFilter.of(
            "metadata.labels",
            "spec.unschedulable",
            "spec.taints",
            "status.allocatable",
            "status.conditions"),
        V1Node.class,
        NodeMapping::state);
  }

  /** Namespaces with their labels. */
  public static WatchedKind<V1Namespace, ImmutableMap<String, String>> namespaces() {
    return core(
        "namespaces",
        "Namespace",
        FieldFilter.of("metadata.labels"),
        V1Namespace.class,
        NamespaceMapping::labels);
  }

  /** Pods with the fields that concern claims. */
  public static WatchedKind<V1Pod, V1Pod> pods(String driverName) {
    return pods(driverName, Function.identity());
  }

  /** Pods with node, phase, times and what their scheduler says. */
  public static WatchedKind<V1Pod, PodView> podViews(int serverMinor, String driverName) {
    return pods(
        driverName,
        new PodMapping(serverMinor, driverName)::podView,
        "metadata.ownerReferences.controller",
        "metadata.ownerReferences.uid",
        "spec.nodeName",
        "spec.schedulerName",
        "status.conditions.type",
        "status.conditions.reason",
        "status.conditions.message",
        "spec.schedulingGates.name");
  }

  /** Pods that wait for a node, with the fields that concern it; the caller chooses the mapping. */
  public static <V> WatchedKind<V1Pod, V> gatedPods(String driverName, Function<V1Pod, V> keep) {
    return pods(
            driverName,
            keep,
            "spec.schedulingGates.name",
            "spec.nodeSelector",
            "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.topologyKey",
            "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                + ".topologyKey",
            "spec.tolerations",
            "spec.topologySpreadConstraints.whenUnsatisfiable",
            "spec.overhead",
            "spec.containers.resources.requests",
            "spec.containers.ports.hostPort",
            "spec.initContainers.resources.requests",
            "spec.initContainers.ports.hostPort",
            "spec.initContainers.restartPolicy",
            "status.conditions.type",
            "status.conditions.reason",
            "status.conditions.message",
            "status.nominatedNodeName")
        .where(ImmutableMap.of("fieldSelector", "spec.nodeName=,status.phase=Pending"));
  }

  /**
   * The pods of a group in a namespace, with the fields that make them members.
   *
   * @param selector of labels
   */
  public static WatchedKind<V1Pod, MemberFacts> members(
      PodMapping mapping, String namespace, String selector) {
    return core(
            "pods",
            "Pod",
            FieldFilter.of(
                "metadata.deletionTimestamp",
                "metadata.ownerReferences.controller",
                "metadata.ownerReferences.uid",
                "spec.nodeName",
                "spec.resourceClaims",
                "status.phase",
                "status.resourceClaimStatuses"),
            V1Pod.class,
            pod -> MemberMapping.facts(mapping, pod))
        .in(namespace)
        .where(ImmutableMap.of("labelSelector", selector, "fieldSelector", "status.phase!=Failed"));
  }

  private static <V> WatchedKind<V1Pod, V> pods(
      String driverName, Function<V1Pod, V> keep, String... more) {
    String[] fields = {
      "metadata.creationTimestamp",
      "metadata.deletionTimestamp",
      "spec.priority",
      "spec.resourceClaims",
      "spec.initContainers.name",
      "spec.initContainers.resources.claims",
      "spec.containers.name",
      "spec.containers.resources.claims",
      "status.phase",
      "status.resourceClaimStatuses"
    };
    return core(
        "pods",
        "Pod",
        FieldFilter.of(
            Streams.concat(
                    Stream.of(fields),
                    Stream.of(more),
                    new GroupLabels(driverName).fields().stream())
                .toArray(String[]::new)),
        V1Pod.class,
        keep);
  }

  /** Inventories as the plugins publish them. */
  public static WatchedKind<NodeInventory, NodeInventory> inventories() {
    return gpu(NodeInventory.PLURAL, NodeInventory.KIND, NodeInventory.class, Function.identity());
  }

  /** Claim parameters as users wrote them. */
  public static WatchedKind<GpuClaimParameters, GpuClaimParameters> claimParameters() {
    return claimParameters(GpuClaimParameters::withoutStatus);
  }

  /** Claim parameters with spec and status. */
  public static <V> WatchedKind<GpuClaimParameters, V> claimParameters(
      Function<GpuClaimParameters, V> keep) {
    return gpu(GpuClaimParameters.PLURAL, GpuClaimParameters.KIND, GpuClaimParameters.class, keep);
  }

  /** Class parameters as administrators wrote them. */
  public static WatchedKind<GpuClassParameters, GpuClassParameters> classParameters() {
    return classParameters(GpuClassParameters::withoutStatus);
  }

  /** Class parameters with spec and status. */
  public static <V> WatchedKind<GpuClassParameters, V> classParameters(
      Function<GpuClassParameters, V> keep) {
    return gpu(GpuClassParameters.PLURAL, GpuClassParameters.KIND, GpuClassParameters.class, keep);
  }

  /** Quotas without problems. */
  public static WatchedKind<GpuQuota, CachedQuota> quotas() {
    return gpu(GpuQuota.PLURAL, GpuQuota.KIND, GpuQuota.class, CachedQuota::of);
  }

  private static <T, V> WatchedKind<T, V> core(
      String plural, String kind, FieldFilter fields, Class<T> type, Function<T, V> keep) {
    return new WatchedKind<>("/api/v1/" + plural, "v1", kind, fields, type, keep);
  }

  private static <T, V> WatchedKind<T, V> resource(
      String plural, String kind, FieldFilter fields, Class<T> type, Function<T, V> keep) {
    return new WatchedKind<>(
        "/apis/" + RESOURCE_API + "/" + plural, RESOURCE_API, kind, fields, type, keep);
  }

  /** Their schemas limit the size of spec and status. */
  private static <T, V> WatchedKind<T, V> gpu(
      String plural, String kind, Class<T> type, Function<T, V> keep) {
    return new WatchedKind<>(
        "/apis/" + GPU_API + "/" + plural,
        GPU_API,
        kind,
        FieldFilter.of("metadata.generation", "spec", "status"),
        type,
        keep);
  }

  /** The path of a namespaced object of the resource API. */
  public static String path(String namespace, String plural, String name) {
    return "/apis/" + RESOURCE_API + "/namespaces/" + namespace + "/" + plural + "/" + name;
  }

  /** The path of an object of our group; the namespace is empty for a cluster-scoped object. */
  public static String gpuPath(String namespace, String plural, String name) {
    String scope = namespace.isEmpty() ? "/" : "/namespaces/" + namespace + "/";
    return "/apis/" + GPU_API + scope + plural + "/" + name;
  }
}
