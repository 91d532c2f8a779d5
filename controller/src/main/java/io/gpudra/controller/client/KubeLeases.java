package io.gpudra.controller.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import java.io.IOException;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Lease of the API server. Needs no rights but to get and update this one and to create it; takes
 * one that lacks any field. What others wrote into the object stays there. For one thread.
 */
public final class KubeLeases implements Leases {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  /** The server refuses times with other than six decimals. */
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private final JsonCalls calls;
  private final Clock clock;
  private final String name;
  private final String namespace;
  private final String collection;

  /** As the server sent it last. */
  private @Nullable ObjectNode last;

  /**
   * The lease of this name.
   *
   * @param clock for the times that people read; nothing depends on it
   */
  public KubeLeases(JsonCalls calls, String namespace, String name, Clock clock) {
    this.calls = calls;
    this.clock = clock;
    this.name = name;
    this.namespace = namespace;
    this.collection = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
  }

  @Override
  public Optional<Lease> read() throws IOException {
    return result("reading", calls.get(path()), NOT_FOUND);
  }

  @Override
  public Optional<Lease> create(Holding holding) throws IOException {
    ObjectNode lease = JSON.createObjectNode();
    lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    lease.putObject("metadata").put("namespace", namespace).put("name", name);
    fill(lease, holding, true);
    return result(
        "creating", calls.send("POST", collection, Form.JSON, lease.toString()), CONFLICT);
  }

  @Override
  public Optional<Lease> replace(Lease seen, Holding holding) throws IOException {
    ObjectNode lease = last == null ? JSON.createObjectNode() : last.deepCopy();
    lease.withObject("/metadata").put("resourceVersion", seen.version());
    boolean changesHands =
        seen.transitions() != holding.transitions() || !seen.holder().equals(holding.holder());
    fill(lease, holding, changesHands);
    Answer answer = calls.send("PUT", path(), Form.JSON, lease.toString());
    return result("updating", answer, answer.code() == NOT_FOUND ? NOT_FOUND : CONFLICT);
  }

  private void fill(ObjectNode lease, Holding holding, boolean changesHands) {
    String now = MICRO_TIME.format(clock.instant());
    ObjectNode spec = lease.withObject("/spec");
    spec.put("holderIdentity", holding.holder());
    spec.put("leaseDurationSeconds", holding.seconds());
    spec.put("leaseTransitions", holding.transitions());
    spec.put("renewTime", now);
    if (changesHands) {
      spec.put("acquireTime", now);
    }
  }

  private String path() {
    return collection + "/" + name;
  }

  /** The one code that is an answer is empty, every other failure is as good as none. */
  private Optional<Lease> result(String verb, Answer answer, int empty) throws IOException {
    if (answer.code() == empty) {
      return Optional.empty();
    }
    if (!answer.ok()) {
      throw new IOException(
          "%s lease %s/%s: HTTP %d %s"
              .formatted(verb, namespace, name, answer.code(), message(answer.body())));
    }
    return Optional.of(lease(answer.body()));
  }

  private Lease lease(String body) throws IOException {
    if (!(JSON.readTree(body) instanceof ObjectNode object)) {
      throw new IOException("lease " + namespace + "/" + name + " is no JSON object");
    }
    last = object;
    JsonNode spec = object.path("spec");
    return new Lease(
        object.at("/metadata/resourceVersion").asText(""),
        spec.path("holderIdentity").asText(""),
        spec.path("leaseDurationSeconds").asInt(0),
        spec.path("leaseTransitions").asLong(0),
        spec.path("renewTime").asText(""));
  }

  private static String message(String body) {
    try {
      return JSON.readTree(body).path("message").asText("");
    } catch (JsonProcessingException e) {
      return "";
    }
  }
}
