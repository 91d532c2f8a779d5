package io.gpudra.kubeletplugin.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.kubeletplugin.kube.KubeReply.Kind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Writes a status to this node's NodeInventory; creates the object when it is missing. Each write
 * is for the version that was read last: of two drivers on a node, one finds itself too late and
 * stops, instead of both taking the object from each other forever.
 */
public final class InventoryWriter {

  private static final String API_VERSION = GpuApi.GROUP + "/" + GpuApi.VERSION;
  private static final String COLLECTION = "/apis/" + API_VERSION + "/" + NodeInventory.PLURAL;

  /** The number of intervals without a heartbeat after which another instance counts as gone. */
  private static final double FRESH_INTERVALS = 2.5;

  /** The fields that are read: the object may have a megabyte of labels. */
  private static final MemberFilter WANTED =
      KubeApi.IDENTITY.and(
          "status",
          MemberFilter.of("driverName", "heartbeatTime", "heartbeatSeconds", "conditions"));

  private static final JsonMapper JSON = new JsonMapper();

  private final KubeApi api;
  private final String node;
  private final String driverName;
  private final Clock clock;
  private Optional<String> checked = Optional.empty();

  /** Writes as field manager {@code <driverName>-plugin}. */
  public InventoryWriter(KubeApi api, String node, String driverName, Clock clock) {
    this.api = api;
    this.node = node;
    this.driverName = driverName;
    this.clock = clock;
  }

  /** The result of an attempt. */
  public record Result(Next next, String problem) {

    /** The next action. */
    public enum Next {
      DONE,
      /** Nothing is certain; try again. */
      RETRY,
      /** Another driver's plugin serves the node; stop. */
      OTHER_DRIVER
    }

    static final Result DONE = new Result(Next.DONE, "");

    static Result retry(String problem) {
      return new Result(Next.RETRY, problem);
    }
  }

  /** Whether this driver may publish the inventory of the node (api.md 1). */
  public Result check() {
    checked = Optional.empty();
    KubeReply found = api.get(path(), WANTED);
    if (found.is(Kind.NOT_FOUND)) {
      return Result.DONE;
    }
    if (!found.is(Kind.OK)) {
      return Result.retry(found.problem());
    }
    Optional<String> other = otherDriver(found.body());
    if (other.isEmpty()) {
      noteChecked(found);
    }
    return other.map(problem -> new Result(Result.Next.OTHER_DRIVER, problem)).orElse(Result.DONE);
  }

  private void noteChecked(KubeReply reply) {
    String version = reply.body().path("metadata").path("resourceVersion").asText("");
    checked = Optional.of(version).filter(v -> !v.isEmpty());
  }

  private Optional<String> otherDriver(JsonNode object) {
    NodeInventoryStatus status = status(object);
    String other = status.driverName();
    if (other == null || other.equals(driverName) || stopped(status)) {
      return Optional.empty();
    }
    Duration fresh =
        Duration.ofMillis((long) (FRESH_INTERVALS * status.heartbeatInterval().toMillis()));
    Instant oldest = clock.instant().minus(fresh);
    return status
        .heartbeat()
        .filter(heard -> heard.isAfter(oldest))
        .map(
            heard ->
                "node %s is served by the plugin of driver \"%s\", heard of at %s: one driver a node"
                    .formatted(node, other, heard));
  }

  private static NodeInventoryStatus status(JsonNode object) {
    try {
      return JSON.treeToValue(
          object.path("status").isObject() ? object.path("status") : JSON.createObjectNode(),
          NodeInventoryStatus.class);
    } catch (JsonProcessingException e) {
      // A status that cannot be read was not written by a plugin.
      return JSON.convertValue(JSON.createObjectNode(), NodeInventoryStatus.class);
    }
  }

  private static boolean stopped(NodeInventoryStatus status) {
    return status.conditions() != null
        && status.conditions().stream()
            .anyMatch(
                c ->
                    InventoryCodec.READY.equals(c.type())
                        && ReadyCondition.STOPPED_REASON.equals(c.reason()));
  }

  /** Writes the whole status, unless the node belongs to another driver. */
  public Result write(NodeInventoryStatus status) {
    if (checked.isPresent()) {
      KubeReply reply = apply(status);
      if (!reply.is(Kind.CONFLICT) && !reply.is(Kind.NOT_FOUND)) {
        return result(reply);
      }
    }
    Result check = check();
    return check.next() == Result.Next.DONE ? writeAfterCheck(status) : check;
  }

  private Result writeAfterCheck(NodeInventoryStatus status) {
    if (checked.isEmpty()) {
      KubeReply created = create();
      if (!created.is(Kind.OK)) {
        return Result.retry(created.problem());
      }
      noteChecked(created);
    }
    return result(apply(status));
  }

  private Result result(KubeReply reply) {
    if (!reply.is(Kind.OK)) {
      return Result.retry(reply.problem());
    }
    noteChecked(reply);
    return Result.DONE;
  }

  private KubeReply apply(NodeInventoryStatus status) {
    ObjectNode object = object();
    checked.ifPresent(version -> object.withObject("/metadata").put("resourceVersion", version));
    object.set("status", JSON.valueToTree(status));
    return api.apply(path() + "/status", driverName + "-plugin", object);
  }

  /** The node's UID is read each time: a node of the same name may be another one. */
  private KubeReply create() {
    KubeReply found = api.get("/api/v1/nodes/" + node, KubeApi.IDENTITY);
    if (!found.is(Kind.OK)) {
      return found;
    }
    ObjectNode object = object();
    ObjectNode owner = object.withObject("/metadata").putArray("ownerReferences").addObject();
    owner.put("apiVersion", "v1").put("kind", "Node").put("name", node);
    owner.put("uid", found.body().path("metadata").path("uid").asText());
    return api.create(COLLECTION, object);
  }

  private ObjectNode object() {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", API_VERSION).put("kind", NodeInventory.KIND);
    object.putObject("metadata").put("name", node);
    return object;
  }

  private String path() {
    return COLLECTION + "/" + node;
  }
}
