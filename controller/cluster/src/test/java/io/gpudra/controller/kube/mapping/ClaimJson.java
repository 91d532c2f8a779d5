package io.gpudra.controller.kube.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.client.watch.WatchedKind;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;

/** Builds claim ns/c1 as the server would send it. */
public final class ClaimJson {
  private static final String DRIVER = "gpu.example.com";
  private static final String FINALIZER = DRIVER + "/deletion-protection";
  public static final ClaimMapping MAPPING = new ClaimMapping(DRIVER, FINALIZER);
  public static final WatchedKind<V1alpha2ResourceClaim, CachedClaim> KIND =
      ResourceKinds.claims(MAPPING::keep);

  private final ObjectNode claim = new JsonMapper().createObjectNode();

  public static ClaimJson claim(long resourceVersion) {
    ClaimJson json = new ClaimJson();
    json.claim
        .putObject("metadata")
        .put("namespace", "ns")
        .put("name", "c1")
        .put("uid", "uid-1")
        .put("resourceVersion", String.valueOf(resourceVersion))
        .put("creationTimestamp", "2026-11-21T10:00:00Z");
    json.claim
        .putObject("spec")
        .put("resourceClassName", "gpu")
        .put("allocationMode", "WaitForFirstConsumer");
    json.claim.putObject("status");
    return json;
  }

  public ClaimJson uid(String uid) {
    claim.withObject("/metadata").put("uid", uid);
    return this;
  }

  public ClaimJson annotation(String name, String value) {
    claim.withObject("/metadata/annotations").put(name, value);
    return this;
  }

  public ClaimJson owner(String uid) {
    claim
        .withObject("/metadata")
        .withArray("ownerReferences")
        .addObject()
        .put("controller", true)
        .put("name", "pod-1")
        .put("uid", uid);
    return this;
  }

  public ClaimJson finalizer(String finalizer) {
    claim.withObject("/metadata").withArray("finalizers").add(finalizer);
    return this;
  }

  public ClaimJson withFinalizer() {
    return finalizer(FINALIZER);
  }

  public ClaimJson deleting() {
    claim.withObject("/metadata").put("deletionTimestamp", "2026-11-21T10:00:01Z");
    return this;
  }

  public ClaimJson requested() {
    claim.withObject("/status").put("deallocationRequested", true);
    return this;
  }

  public ClaimJson parameters(String group, String name) {
    claim
        .withObject("/spec/parametersRef")
        .put("apiGroup", group)
        .put("kind", "GpuClaimParameters")
        .put("name", name);
    return this;
  }

  public ClaimJson reserved(String uid) {
    claim
        .withObject("/status")
        .withArray("reservedFor")
        .addObject()
        .put("resource", "pods")
        .put("name", "p1")
        .put("uid", uid);
    return this;
  }

  public ClaimJson allocated(String data, String node) {
    return driver(DRIVER).handle(DRIVER, data).onlyOn(node);
  }

  public ClaimJson mayStillBePrepared() {
    claim.withObject("/status").put("driverName", DRIVER);
    return this;
  }

  public ClaimJson driver(String name) {
    claim.withObject("/status").put("driverName", name);
    claim.withObject("/status/allocation").put("shareable", true);
    return this;
  }

  public ClaimJson handle(String driver, String data) {
    claim
        .withObject("/status/allocation")
        .withArray("resourceHandles")
        .addObject()
        .put("driverName", driver)
        .put("data", data);
    return this;
  }

  public ClaimJson onlyOn(String node) {
    ObjectNode field =
        claim
            .withObject("/status/allocation/availableOnNodes")
            .withArray("nodeSelectorTerms")
            .addObject()
            .withArray("matchFields")
            .addObject();
    field.put("key", "metadata.name").put("operator", "In").putArray("values").add(node);
    return this;
  }

  public ClaimJson put(String parent, String field, JsonNode value) {
    claim.withObject(parent).set(field, value);
    return this;
  }

  public String text() {
    return claim.toString();
  }

  public Kept<CachedClaim> kept() {
    CachedClaim value =
        MAPPING.keep(LenientJson.gson().fromJson(text(), V1alpha2ResourceClaim.class));
    return new Kept<>("ns/c1", value.facts().uid().value(), value.facts().resourceVersion(), value);
  }
}
