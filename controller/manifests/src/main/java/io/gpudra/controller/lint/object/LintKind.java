package io.gpudra.controller.lint.object;

import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.quota.GpuQuota;
import java.util.Optional;
import java.util.stream.Stream;

/** The kinds that are checked; all others are ignored. */
public enum LintKind {
  CLAIM_PARAMETERS(GpuClaimParameters.KIND, GpuApi.GROUP_VERSION),
  CLASS_PARAMETERS(GpuClassParameters.KIND, GpuApi.GROUP_VERSION),
  QUOTA(GpuQuota.KIND, GpuApi.GROUP_VERSION),
  INVENTORY(NodeInventory.KIND, GpuApi.GROUP_VERSION),
  CLAIM("ResourceClaim", ResourceApi.SERVED),
  TEMPLATE("ResourceClaimTemplate", ResourceApi.SERVED),
  RESOURCE_CLASS("ResourceClass", ResourceApi.SERVED),
  NAMESPACE("Namespace", "v1"),
  POD("Pod", "v1", "spec"),
  POD_TEMPLATE("PodTemplate", "v1", "template.spec"),
  REPLICATION_CONTROLLER("ReplicationController", "v1", LintKind.TEMPLATE_SPEC),
  DEPLOYMENT("Deployment", "apps/v1", LintKind.TEMPLATE_SPEC),
  REPLICA_SET("ReplicaSet", "apps/v1", LintKind.TEMPLATE_SPEC),
  STATEFUL_SET("StatefulSet", "apps/v1", LintKind.TEMPLATE_SPEC),
  DAEMON_SET("DaemonSet", "apps/v1", LintKind.TEMPLATE_SPEC),
  JOB("Job", "batch/v1", LintKind.TEMPLATE_SPEC),
  CRON_JOB("CronJob", "batch/v1", "spec.jobTemplate.spec.template.spec");

  private static final String TEMPLATE_SPEC = "spec.template.spec";

  private final String text;
  private final String apiVersion;
  private final String podSpec;

  LintKind(String text, String apiVersion) {
    this(text, apiVersion, "");
  }

  LintKind(String text, String apiVersion, String podSpec) {
    this.text = text;
    this.apiVersion = apiVersion;
    this.podSpec = podSpec;
  }

  /** The kind in manifests. */
  public String text() {
    return text;
  }

  /** Path of the pod spec; empty if there is none. */
  public String podSpec() {
    return podSpec;
  }

  /** Path of the labels of the pods. */
  public String podLabels() {
    return podSpec.substring(0, podSpec.length() - "spec".length()) + "metadata.labels";
  }

  /** The same path as a JSON pointer. */
  String podSpecPointer() {
    return "/" + podSpec.replace('.', '/');
  }

  /** Whether its objects are pods or make pods. */
  public boolean describesPods() {
    return !podSpec.isEmpty();
  }

  /** Whether the kind is cluster-scoped. */
  public boolean isOfCluster() {
    return switch (this) {
      case CLASS_PARAMETERS, INVENTORY, RESOURCE_CLASS, NAMESPACE -> true;
      case CLAIM_PARAMETERS,
          QUOTA,
          CLAIM,
          TEMPLATE,
          POD,
          POD_TEMPLATE,
          REPLICATION_CONTROLLER,
          DEPLOYMENT,
          REPLICA_SET,
          STATEFUL_SET,
          DAEMON_SET,
          JOB,
          CRON_JOB ->
          false;
    };
  }

  /** The kind; empty if it is not checked. */
  public static Optional<LintKind> of(String apiVersion, String kind) {
    return Stream.of(values())
        .filter(one -> one.apiVersion.equals(apiVersion) && one.text.equals(kind))
        .findFirst();
  }

  /** Group and kind of the kinds with pods, such as {@code apps/Deployment}. */
  public static Stream<String> ofPods() {
    return Stream.of(values())
        .filter(LintKind::describesPods)
        .map(one -> one.group() + "/" + one.text);
  }

  private String group() {
    int slash = apiVersion.indexOf('/');
    return slash < 0 ? "" : apiVersion.substring(0, slash);
  }

  /** The kinds of our own API group. */
  public static Stream<LintKind> ofGroup() {
    return Stream.of(values()).filter(one -> one.apiVersion.equals(GpuApi.GROUP_VERSION));
  }
}
