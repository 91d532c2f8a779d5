package io.gpudra.kubeletplugin.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.gpudra.kubeletplugin.kube.KubeReply.Kind;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * The few requests this plugin makes, on client-java's connection and credentials. Answers are read
 * as plain JSON, since client-java's models refuse objects with fields they do not know.
 */
public final class KubeApi {

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
  private static final JsonMapper JSON = new JsonMapper();

  private final ApiClient client;

  private KubeApi(ApiClient client) {
    this.client = client.setUserAgent("gpudra-kubeletplugin");
    client.setHttpClient(
        client
            .getHttpClient()
            .newBuilder()
            .connectTimeout(CALL_TIMEOUT)
            .readTimeout(CALL_TIMEOUT)
            .callTimeout(CALL_TIMEOUT)
            .build());
  }

  /**
   * Uses the kubeconfig, or the service account of the pod when there is none. Nothing is sent yet.
   *
   * @throws IOException when neither can be read
   */
  public static KubeApi open(Optional<Path> kubeconfig) throws IOException {
    if (kubeconfig.isEmpty()) {
      return inCluster();
    }
    try (Reader reader = Files.newBufferedReader(kubeconfig.get())) {
      KubeConfig config = KubeConfig.loadKubeConfig(reader);
      config.setFile(kubeconfig.get().toFile());
      return new KubeApi(ClientBuilder.kubeconfig(config).build());
    }
  }

  private static KubeApi inCluster() throws IOException {
    try {
      return new KubeApi(ClientBuilder.cluster().build());
    } catch (IOException | IllegalStateException e) {
      throw new IOException("no --kubeconfig, and not in a pod with a service account", e);
    }
  }

  KubeReply get(String path) {
    return send("GET", path, List.of(), Optional.empty());
  }

  KubeReply create(String path, JsonNode object) {
    return send("POST", path, List.of(), Optional.of(new Body(object, "application/json")));
  }

  /** Server-side apply; fields of other managers that are in the object become ours. */
  KubeReply apply(String path, String fieldManager, JsonNode object) {
    return send(
        "PATCH",
        path,
        List.of(new Pair("fieldManager", fieldManager), new Pair("force", "true")),
        Optional.of(new Body(object, "application/apply-patch+yaml")));
  }

  private record Body(JsonNode content, String type) {}

  private KubeReply send(String method, String path, List<Pair> query, Optional<Body> body) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Accept", "application/json");
    body.ifPresent(b -> headers.put("Content-Type", b.type()));
    byte[] content = body.map(b -> b.content().toString().getBytes(UTF_8)).orElse(null);
    try (Response response =
        client
            .buildCall(
                client.getBasePath(),
                path,
                method,
                query,
                List.of(),
                content,
                headers,
                new HashMap<>(),
                new HashMap<>(),
                new String[] {"BearerToken"},
                null)
            .execute()) {
      return read(method + " " + path, response);
    } catch (IOException | ApiException e) {
      return failed(Kind.UNCLEAR, "%s %s: %s".formatted(method, path, e.getMessage()));
    }
  }

  private static KubeReply read(String request, Response response) throws IOException {
    ResponseBody body = response.body();
    String text = body == null ? "" : body.string();
    if (response.isSuccessful()) {
      return new KubeReply(Kind.OK, parse(text), "");
    }
    String problem = "%s: %d %s".formatted(request, response.code(), message(text));
    return failed(kind(response.code()), problem);
  }

  private static Kind kind(int code) {
    return switch (code) {
      case 404 -> Kind.NOT_FOUND;
      case 409 -> Kind.CONFLICT;
      case 408, 429 -> Kind.UNCLEAR;
      default -> code >= 500 ? Kind.UNCLEAR : Kind.REFUSED;
    };
  }

  private static KubeReply failed(Kind kind, String problem) {
    return new KubeReply(kind, MissingNode.getInstance(), problem);
  }

  private static JsonNode parse(String text) throws IOException {
    return JSON.readTree(text);
  }

  private static String message(String text) {
    try {
      return JSON.readTree(text).path("message").asText("");
    } catch (JsonProcessingException e) {
      return "";
    }
  }
}
