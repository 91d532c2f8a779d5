package io.gpudra.controller.kube;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.RateLimiter;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.api.GpuApi;
import java.io.IOException;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the status of objects of our group by server-side apply. */
final class StatusCalls {
  private static final Logger log = LoggerFactory.getLogger(StatusCalls.class);
  private static final JsonMapper JSON = new JsonMapper();

  /** A missing permission may concern thousands of objects. */
  private static final double WARNINGS_PER_SECOND = 1.0 / 60;

  private final JsonCalls calls;
  private final String driverName;
  private final BooleanSupplier mayWriteStatus;
  private final RateLimiter warnings = RateLimiter.create(WARNINGS_PER_SECOND);

  StatusCalls(JsonCalls calls, String driverName, BooleanSupplier mayWriteStatus) {
    this.calls = calls;
    this.driverName = driverName;
    this.mayWriteStatus = mayWriteStatus;
  }

  /**
   * Replaces the status that we stored for exactly this object.
   *
   * @param key with an empty namespace for a cluster-scoped object
   */
  Kind apply(String plural, String kind, ObjectKey key, String uid, Object status) {
    if (!mayWriteStatus.getAsBoolean()) {
      return Kind.UNCLEAR;
    }
    String path = ResourceKinds.gpuPath(key.namespace(), plural, key.name()) + "/status";
    Map<String, String> query = Map.of("fieldManager", driverName, "force", "true");
    try {
      String body = body(kind, key, uid, status);
      return outcome(plural, key, calls.write("PATCH", path, query, Form.APPLY, body));
    } catch (IOException e) {
      log.info("status unclear resource={} object={} why={}", plural, key, e.toString());
      return Kind.UNCLEAR;
    }
  }

  private Kind outcome(String plural, ObjectKey key, Answer answer) {
    Kind kind = WriteResponseMapping.kind(answer);
    if (kind == Kind.REJECTED && warnings.tryAcquire()) {
      log.warn("status rejected resource={} object={} answer={}", plural, key, answer);
    }
    return kind;
  }

  /** With the UID as precondition, since another object may have the same name. */
  private static String body(String kind, ObjectKey key, String uid, Object status) {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", GpuApi.GROUP_VERSION).put("kind", kind);
    ObjectNode metadata = object.putObject("metadata");
    metadata.put("name", key.name()).put("uid", uid);
    if (!key.namespace().isEmpty()) {
      metadata.put("namespace", key.namespace());
    }
    object.set("status", JSON.valueToTree(status));
    return object.toString();
  }
}
