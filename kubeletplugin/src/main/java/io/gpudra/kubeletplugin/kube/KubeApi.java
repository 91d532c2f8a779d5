package io.gpudra.kubeletplugin.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.filter.TokenFilter;
import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.kubeletplugin.kube.KubeReply.Kind;
import io.gpudra.process.FileTrust;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.Config;
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

/**
 * The few requests of this plugin, with client-java's connection and credentials. Answers are read
 * as plain JSON, since client-java's models refuse objects with unknown fields.
 */
public final class KubeApi {

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** The identity of an object, the only part of an answer to a write that is kept. */
  static final MemberFilter IDENTITY =
      MemberFilter.of().and("metadata", MemberFilter.of("uid", "resourceVersion"));

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
      return trusting(
          ClientBuilder.kubeconfig(config).build(),
          Optional.ofNullable(config.getCertificateAuthorityFile())
              .filter(file -> config.getCertificateAuthorityData() == null)
              .map(kubeconfig.get()::resolveSibling));
    }
  }

  private static KubeApi inCluster() throws IOException {
    try {
      return trusting(
          ClientBuilder.cluster().build(), Optional.of(Path.of(Config.SERVICEACCOUNT_CA_PATH)));
    } catch (IOException | IllegalStateException e) {
      throw new IOException("no --kubeconfig, and not in a pod with a service account", e);
    }
  }

  /** client-java reads the authorities only once, but a cluster may replace them. */
  private static KubeApi trusting(ApiClient client, Optional<Path> authorities) throws IOException {
    if (authorities.isPresent() && client.isVerifyingSsl()) {
      FileTrust trust = new FileTrust(authorities.get());
      client.setHttpClient(
          client
              .getHttpClient()
              .newBuilder()
              .sslSocketFactory(trust.sockets(client.getKeyManagers()), trust)
              .build());
    }
    return new KubeApi(client);
  }

  /** Reads an object; only the wanted part is kept in memory, however large the rest is. */
  KubeReply get(String path, TokenFilter wanted) {
    return send(new Request("GET", path, List.of(), Optional.empty()), wanted);
  }

  KubeReply create(String path, JsonNode object) {
    return send(
        new Request("POST", path, List.of(), Optional.of(new Body(object, "application/json"))),
        IDENTITY);
  }

  /** Server-side apply; this plugin takes over fields of other managers that are in the object. */
  KubeReply apply(String path, String fieldManager, JsonNode object) {
    return send(
        new Request(
            "PATCH",
            path,
            List.of(new Pair("fieldManager", fieldManager), new Pair("force", "true")),
            Optional.of(new Body(object, "application/apply-patch+yaml"))),
        IDENTITY);
  }

  private record Body(JsonNode content, String type) {}

  private record Request(String method, String path, List<Pair> query, Optional<Body> body) {
    @Override
    public String toString() {
      return method + " " + path;
    }
  }

  private KubeReply send(Request request, TokenFilter wanted) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Accept", "application/json");
    request.body().ifPresent(b -> headers.put("Content-Type", b.type()));
    byte[] content = request.body().map(b -> b.content().toString().getBytes(UTF_8)).orElse(null);
    try (Response response =
        client
            .buildCall(
                client.getBasePath(),
                request.path(),
                request.method(),
                request.query(),
                List.of(),
                content,
                headers,
                new HashMap<>(),
                new HashMap<>(),
                new String[] {"BearerToken"},
                null)
            .execute()) {
      return ResponseReader.read(request.toString(), response, wanted);
    } catch (IOException | ApiException e) {
      return ResponseReader.failed(Kind.UNCLEAR, request + ": " + e.getMessage());
    }
  }
}
