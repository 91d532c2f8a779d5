package io.gpudra.bench.real;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * One request as the API server logged it when it was answered.
 *
 * @param resource with the subresource, such as {@code resourceclaims/status}; the path when the
 *     request was about no resource
 * @param name empty for a list
 */
record AuditEvent(
    String user,
    String verb,
    String resource,
    String namespace,
    String name,
    int code,
    Instant received,
    Instant answered) {

  private static final JsonMapper JSON = new JsonMapper();

  static AuditEvent parse(String line) {
    try {
      return of(JSON.readTree(line));
    } catch (IOException e) {
      throw new UncheckedIOException("no audit event: " + line, e);
    }
  }

  private static AuditEvent of(JsonNode event) {
    JsonNode object = event.path("objectRef");
    return new AuditEvent(
        event.at("/user/username").asText(),
        event.path("verb").asText(),
        resource(object, event.path("requestURI").asText()),
        object.path("namespace").asText(),
        object.path("name").asText(),
        event.at("/responseStatus/code").asInt(),
        Instant.parse(event.path("requestReceivedTimestamp").asText()),
        Instant.parse(event.path("stageTimestamp").asText()));
  }

  private static String resource(JsonNode object, String path) {
    String subresource = object.path("subresource").asText();
    return object.path("resource").asText(path) + (subresource.isEmpty() ? "" : "/" + subresource);
  }

  boolean ok() {
    return code / 100 == 2;
  }

  boolean createsPod() {
    return ok() && verb.equals("create") && resource.equals("pods");
  }

  boolean createsContext() {
    return ok() && verb.equals("create") && resource.equals("podschedulingcontexts");
  }

  boolean bindsPod() {
    return ok() && verb.equals("create") && resource.equals("pods/binding");
  }
}
