package io.gpudra.kubeletplugin.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.Uninterruptibles;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The few answers of an API server that the plugin needs: objects by path, create, server-side
 * apply of a status. It refuses what a real server refuses: a status of a missing object, an apply
 * without manager, an apply for a version that is no more.
 */
public final class FakeApi implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  public static final String INVENTORIES =
      "/apis/gpu.resource.example.com/v1alpha1/nodeinventories";

  private final HttpServer server;
  private final Map<String, ObjectNode> objects = new ConcurrentHashMap<>();
  private final Map<String, byte[]> large = new ConcurrentHashMap<>();
  public final List<String> requests = new CopyOnWriteArrayList<>();

  /** Each status that was accepted. */
  public final List<JsonNode> applied = new CopyOnWriteArrayList<>();

  private final AtomicInteger failuresLeft = new AtomicInteger();
  private final AtomicInteger version = new AtomicInteger();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean hangs;
  private volatile boolean serves = true;

  public FakeApi() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::serve);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    put("/api/v1/nodes/" + FakeNode.NAME, "node-uid-1");
  }

  /** Puts an object there, with a field that no model of any client knows. */
  public void put(String path, String uid) {
    ObjectNode object = JSON.createObjectNode().put("fieldOfTomorrow", 1);
    object.putObject("metadata").put("uid", uid);
    objects.put(path, versioned(object));
  }

  /** As it is after a write: with a version that no object had before. */
  private ObjectNode versioned(ObjectNode object) {
    object.withObject("/metadata").put("resourceVersion", "v" + version.incrementAndGet());
    return object;
  }

  public void put(String path, String uid, String status) throws IOException {
    put(path, uid);
    Optional.ofNullable(objects.get(path)).orElseThrow().set("status", JSON.readTree(status));
  }

  /** Somebody changes what is not the plugin's. */
  public void touch(String path) {
    versioned(Optional.ofNullable(objects.get(path)).orElseThrow());
  }

  /** Puts an object there of which only the metadata matters, and those only for their size. */
  public void putLarge(String path, String uid, String moreMetadata) {
    String object = "{\"metadata\":{\"uid\":\"%s\",%s}}".formatted(uid, moreMetadata);
    large.put(path, object.getBytes(UTF_8));
  }

  public void remove(String path) {
    objects.remove(path);
  }

  /** The next requests are answered 503. */
  public void failNext(int count) {
    failuresLeft.set(count);
  }

  /** From now on no kind is served, as of an API version that a newer server lacks. */
  public void serveNothing() {
    serves = false;
  }

  /** From now on no request is answered. */
  public void hang() {
    hangs = true;
  }

  /** Missing node when there is no such object. */
  public JsonNode get(String path) {
    return Optional.<JsonNode>ofNullable(objects.get(path)).orElseGet(JSON::missingNode);
  }

  public JsonNode inventory() {
    return get(INVENTORIES + "/" + FakeNode.NAME);
  }

  public long count(String method) {
    return requests.stream().filter(request -> request.startsWith(method)).count();
  }

  public Path kubeconfig(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("kubeconfig"),
        """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
        users: [{name: u, user: {token: secret}}]
        contexts: [{name: x, context: {cluster: c, user: u}}]
        current-context: x
        """
            .formatted(server.getAddress().getPort()));
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (hangs) {
        Uninterruptibles.awaitUninterruptibly(closed);
        return;
      }
      if (!serves) {
        answer(exchange, 404, "404 page not found\n".getBytes(UTF_8));
        return;
      }
      if (failuresLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        answer(exchange, 503, JSON.createObjectNode().put("message", "try later"));
        return;
      }
      switch (exchange.getRequestMethod()) {
        case "GET" -> answer(exchange, path);
        case "POST" -> create(exchange, path, JSON.readTree(body));
        case "PATCH" -> apply(exchange, path, JSON.readTree(body));
        default -> answer(exchange, 405, JSON.createObjectNode());
      }
    }
  }

  private void create(HttpExchange exchange, String path, JsonNode object) throws IOException {
    String target = path + "/" + object.path("metadata").path("name").asText();
    boolean exists = objects.putIfAbsent(target, versioned((ObjectNode) object)) != null;
    answer(exchange, exists ? 409 : 201, object);
  }

  private void apply(HttpExchange exchange, String path, JsonNode patch) throws IOException {
    String target = path.substring(0, path.length() - "/status".length());
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    String type = String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"));
    ObjectNode object = objects.get(target);
    if (!path.endsWith("/status")
        || !query.contains("fieldManager=" + FakeNode.DRIVER + "-plugin")
        || !query.contains("force=true")
        || !type.startsWith("application/apply-patch+yaml")) {
      answer(exchange, 400, JSON.createObjectNode().put("message", "no apply: " + query + type));
    } else if (object == null) {
      answerNotFound(exchange, target);
    } else if (outdated(patch, object)) {
      answer(exchange, 409, JSON.createObjectNode().put("message", "the object has been modified"));
    } else {
      applied.add(patch.path("status"));
      object.set("status", patch.path("status"));
      answer(exchange, 200, versioned(object));
    }
  }

  private static boolean outdated(JsonNode patch, JsonNode object) {
    JsonNode wanted = patch.path("metadata").path("resourceVersion");
    return !wanted.isMissingNode()
        && !wanted.equals(object.path("metadata").path("resourceVersion"));
  }

  private void answer(HttpExchange exchange, String path) throws IOException {
    ObjectNode object = objects.get(path);
    byte[] bytes = large.get(path);
    if (bytes != null) {
      answer(exchange, 200, bytes);
    } else if (object == null) {
      answerNotFound(exchange, path);
    } else {
      answer(exchange, 200, object);
    }
  }

  private static void answerNotFound(HttpExchange exchange, String path) throws IOException {
    ObjectNode status = JSON.createObjectNode().put("message", "not found");
    status.putObject("details").put("name", path.substring(path.lastIndexOf('/') + 1));
    answer(exchange, 404, status);
  }

  private static void answer(HttpExchange exchange, int code, JsonNode body) throws IOException {
    answer(exchange, code, body.toString().getBytes(UTF_8));
  }

  private static void answer(HttpExchange exchange, int code, byte[] bytes) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
  }
}
