package io.gpudra.scenarios.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.CharMatcher;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An API server over plain HTTP and JSON. Every call but {@link #find} fails unless answered 2xx.
 */
public final class ClusterClient {

  /** How this client names itself to the server. */
  public static final String USER_AGENT = "gpudra-scenarios";

  private static final JsonMapper JSON = new JsonMapper();
  private static final JsonNode NONE = JSON.createArrayNode();
  private static final Duration CALL_LIMIT = Duration.ofSeconds(10);

  private static final Map<String, String> CONTENT_TYPES =
      Map.of("PATCH", "application/merge-patch+json");

  private final URI server;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CALL_LIMIT)
          .build();
  private final Map<String, JsonNode> discovered = new ConcurrentHashMap<>();

  /** Talks to the server at the address, such as {@code http://127.0.0.1:6443}. */
  public ClusterClient(URI server) {
    this.server = server;
  }

  /** GET, empty when there is no such object. */
  public Optional<JsonNode> find(String path) throws IOException, InterruptedException {
    HttpResponse<byte[]> response = call("GET", path, Optional.empty());
    return response.statusCode() == 404
        ? Optional.empty()
        : Optional.of(answer("GET", path, response));
  }

  /** GET. */
  public JsonNode get(String path) throws IOException, InterruptedException {
    return answer("GET", path, call("GET", path, Optional.empty()));
  }

  /** Of Kubernetes 1; what some providers write behind it, as in {@code 28+}, is left out. */
  public int minorVersion() throws IOException, InterruptedException {
    return Integer.parseInt(
        CharMatcher.inRange('0', '9').retainFrom(get("/version").path("minor").asText()));
  }

  /** GET of something that is no JSON, such as the log of a container. */
  public String text(String path) throws IOException, InterruptedException {
    HttpResponse<byte[]> response = call("GET", path, Optional.empty());
    requireGood("GET", path, response);
    return new String(response.body(), UTF_8);
  }

  /** POST to the object's collection, which its kind and namespace tell. */
  public JsonNode create(ObjectNode object) throws IOException, InterruptedException {
    return post(collectionOf(object), object);
  }

  /** POST. */
  public JsonNode post(String path, JsonNode body) throws IOException, InterruptedException {
    return answer("POST", path, call("POST", path, Optional.of(body)));
  }

  /** PUT. */
  public JsonNode put(String path, JsonNode body) throws IOException, InterruptedException {
    return answer("PUT", path, call("PUT", path, Optional.of(body)));
  }

  /** PATCH, merged as {@code kubectl patch --type merge} does. */
  public JsonNode patch(String path, JsonNode body) throws IOException, InterruptedException {
    return answer("PATCH", path, call("PATCH", path, Optional.of(body)));
  }

  /** DELETE; an object that is gone already is as good. */
  public void delete(String path) throws IOException, InterruptedException {
    HttpResponse<byte[]> response = call("DELETE", path, Optional.empty());
    if (response.statusCode() != 404) {
      answer("DELETE", path, response);
    }
  }

  /** The object's own path. */
  public String pathOf(ObjectNode object) throws IOException, InterruptedException {
    return collectionOf(object) + "/" + object.at("/metadata/name").asText();
  }

  /** Whether objects of this one's kind live in namespaces. */
  boolean isNamespaced(ObjectNode object) throws IOException, InterruptedException {
    return known(object).path("namespaced").asBoolean();
  }

  private String collectionOf(ObjectNode object) throws IOException, InterruptedException {
    String root = root(object);
    JsonNode kind = known(object);
    String namespace = object.at("/metadata/namespace").asText("default");
    return kind.path("namespaced").asBoolean()
        ? root + "/namespaces/" + namespace + "/" + kind.path("name").asText()
        : root + "/" + kind.path("name").asText();
  }

  private static String root(ObjectNode object) {
    String version = object.path("apiVersion").asText();
    return (version.contains("/") ? "/apis/" : "/api/") + version;
  }

  private JsonNode known(ObjectNode object) throws IOException, InterruptedException {
    return kind(object)
        .orElseThrow(
            () ->
                new IOException(
                    "the server has no kind %s in %s"
                        .formatted(object.path("kind").asText(), root(object))));
  }

  /** The server knows how a kind is called in its URLs; it is asked once. */
  private Optional<JsonNode> kind(ObjectNode object) throws IOException, InterruptedException {
    String root = root(object);
    String kind = object.path("kind").asText();
    JsonNode known = discovered.get(root + "#" + kind);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<JsonNode> group = find(root);
    for (JsonNode resource : group.map(all -> all.path("resources")).orElse(NONE)) {
      if (resource.path("kind").asText().equals(kind)
          && !resource.path("name").asText().contains("/")) {
        discovered.put(root + "#" + kind, resource);
        return Optional.of(resource);
      }
    }
    return Optional.empty();
  }

  private HttpResponse<byte[]> call(String method, String path, Optional<JsonNode> body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .timeout(CALL_LIMIT)
            .header("Accept", "application/json, */*")
            .header("Content-Type", CONTENT_TYPES.getOrDefault(method, "application/json"))
            .header("User-Agent", USER_AGENT)
            .method(
                method,
                body.map(b -> BodyPublishers.ofString(b.toString()))
                    .orElse(BodyPublishers.noBody()))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private static JsonNode answer(String method, String path, HttpResponse<byte[]> response)
      throws IOException {
    requireGood(method, path, response);
    return JSON.readTree(response.body());
  }

  private static void requireGood(String method, String path, HttpResponse<byte[]> response)
      throws Refused {
    if (response.statusCode() / 100 != 2) {
      throw new Refused(method, path, response.statusCode(), message(response));
    }
  }

  private static String message(HttpResponse<byte[]> response) {
    String text = new String(response.body(), UTF_8);
    try {
      return JSON.readTree(text).path("message").asText(text);
    } catch (IOException e) {
      return text;
    }
  }

  /** The server said no. */
  public static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;
    private final int code;

    Refused(String method, String path, int code, String message) {
      super("%s %s: %d %s".formatted(method, path, code, message));
      this.code = code;
    }

    /** The HTTP code. */
    public int code() {
      return code;
    }
  }
}
