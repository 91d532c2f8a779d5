package io.gpudra.controller.doctor.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Ascii;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;

/** The kinds of objects that matter for an upgrade, and those of their objects that do. */
enum StoredKind {
  DEPLOYMENT("Deployment", StoredKind.APPS + "deployments", StoredKind.TEMPLATE_SPEC),
  STATEFUL_SET("StatefulSet", StoredKind.APPS + "statefulsets", StoredKind.TEMPLATE_SPEC),
  REPLICA_SET("ReplicaSet", StoredKind.APPS + "replicasets", StoredKind.TEMPLATE_SPEC),
  REPLICATION_CONTROLLER(
      "ReplicationController", "/api/v1/replicationcontrollers", StoredKind.TEMPLATE_SPEC),
  JOB("Job", "/apis/batch/v1/jobs", StoredKind.TEMPLATE_SPEC),
  CRON_JOB("CronJob", "/apis/batch/v1/cronjobs", "/spec/jobTemplate" + StoredKind.TEMPLATE_SPEC),
  DAEMON_SET("DaemonSet", StoredKind.APPS + "daemonsets", StoredKind.TEMPLATE_SPEC),
  POD("Pod", "/api/v1/pods", "/spec"),
  POD_TEMPLATE("PodTemplate", "/api/v1/podtemplates", "/template/spec"),
  CONTROLLER_REVISION(
      "ControllerRevision",
      StoredKind.APPS + "controllerrevisions",
      "/data" + StoredKind.TEMPLATE_SPEC),
  NODE("Node", "/api/v1/nodes"),
  CLAIM("ResourceClaim", StoredKind.CLASSIC + "resourceclaims"),
  CONTEXT("PodSchedulingContext", StoredKind.CLASSIC + "podschedulingcontexts"),
  TEMPLATE("ResourceClaimTemplate", StoredKind.CLASSIC + "resourceclaimtemplates"),
  RESOURCE_CLASS("ResourceClass", StoredKind.CLASSIC + "resourceclasses"),
  INVENTORY("NodeInventory", "/apis/" + GpuApi.GROUP_VERSION + "/" + NodeInventory.PLURAL),
  VALIDATING_WEBHOOK(
      "ValidatingWebhookConfiguration", StoredKind.ADMISSION + "validatingwebhookconfigurations"),
  MUTATING_WEBHOOK(
      "MutatingWebhookConfiguration", StoredKind.ADMISSION + "mutatingwebhookconfigurations"),
  POLICY("ValidatingAdmissionPolicy", StoredKind.ADMISSION + "validatingadmissionpolicies"),
  BINDING(
      "ValidatingAdmissionPolicyBinding",
      StoredKind.ADMISSION + "validatingadmissionpolicybindings");

  private static final String APPS = "/apis/apps/v1/";
  private static final String CLASSIC = "/apis/resource.k8s.io/v1alpha2/";
  private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1/";
  private static final String TEMPLATE_SPEC = "/spec/template/spec";
  private static final String OUR_NAMES = "gpudra-";

  private final String text;
  private final String path;
  private final String podSpec;

  StoredKind(String text, String path) {
    this(text, path, "");
  }

  StoredKind(String text, String path, String podSpec) {
    this.text = text;
    this.path = path;
    this.podSpec = podSpec;
  }

  /** The kind in manifests. */
  String text() {
    return text;
  }

  /** The path of all objects. */
  String path() {
    return path;
  }

  /** The plural name of the API. */
  String plural() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The singular name that kubectl takes. */
  String singular() {
    return Ascii.toLowerCase(text);
  }

  /** The entries for claims of the pods that an object describes; missing without. */
  JsonNode claims(JsonNode object) {
    return object.at(podSpec + "/resourceClaims");
  }

  /** Whether the objects can be read after the upgrade. */
  boolean outlivesTheUpgrade() {
    return !podSpec.isEmpty() || this == NODE;
  }

  /** Whether an upgrade has to do with the object. */
  boolean matters(JsonNode object) {
    return switch (this) {
      case INVENTORY -> !object.at("/status/preparedClaims").isEmpty();
      case VALIDATING_WEBHOOK, MUTATING_WEBHOOK, POLICY, BINDING ->
          object.at("/metadata/name").asText().startsWith(OUR_NAMES);
      case NODE, CLAIM, CONTEXT, TEMPLATE, RESOURCE_CLASS -> true;
      case DEPLOYMENT,
          STATEFUL_SET,
          REPLICA_SET,
          REPLICATION_CONTROLLER,
          JOB,
          CRON_JOB,
          DAEMON_SET,
          POD,
          POD_TEMPLATE,
          CONTROLLER_REVISION ->
          !claims(object).isEmpty();
    };
  }
}
