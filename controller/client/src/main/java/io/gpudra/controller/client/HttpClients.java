package io.gpudra.controller.client;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.gpudra.process.BucketTimer;
import io.gpudra.process.FileTrust;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.CipherSuite;
import okhttp3.ConnectionPool;
import okhttp3.ConnectionSpec;
import okhttp3.Dispatcher;
import okhttp3.Interceptor.Chain;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * The connections to the API server: calls with a timeout, and streams that may last. All share one
 * pool. client-java's own client has no such limits.
 */
public final class HttpClients implements AutoCloseable {

  private static final String CONTROLLER = "gpudra-controller";

  /**
   * A dead connection is noticed when a ping has no answer by the time of the next one. All its
   * streams end then, and resume over another connection.
   */
  private static final Duration PING = Duration.ofSeconds(5);

  /**
   * Without the JVM's second compiler, AES costs four times as much processor time as this. Every
   * API server supports this cipher; a handshake with a proxy that does not is repeated with the
   * ciphers of {@code MODERN_TLS}.
   */
  private static final ConnectionSpec CHACHA =
      new ConnectionSpec.Builder(ConnectionSpec.MODERN_TLS)
          .cipherSuites(
              CipherSuite.TLS_CHACHA20_POLY1305_SHA256,
              CipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
              CipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256)
          .build();

  /** A server or proxy may close an idle connection after 90 s; we close ours earlier. */
  private static final ConnectionPool pool() {
    return new ConnectionPool(64, 60, TimeUnit.SECONDS);
  }

  private final ApiClient api;
  private final OkHttpClient streams;

  /**
   * The read timeout ends a unary call that waits too long for an answer: only then does OkHttp
   * ping the connection, and use it for no later call without a reply. The timeout of a whole call
   * would leave a dead HTTP/2 connection to the next call, past the end of a lease.
   */
  private HttpClients(ApiClient api, String agent, Duration unaryTimeout, MetricRegistry metrics) {
    LenientJson.install();
    this.api = api.setUserAgent(agent);
    OkHttpClient shared =
        api.getHttpClient()
            .newBuilder()
            .connectionPool(pool())
            .connectionSpecs(List.of(CHACHA, ConnectionSpec.MODERN_TLS, ConnectionSpec.CLEARTEXT))
            .dispatcher(new Dispatcher())
            .connectTimeout(unaryTimeout)
            .pingInterval(PING)
            .addInterceptor(chain -> counted(chain, metrics))
            .build();
    this.streams = shared.newBuilder().readTimeout(Duration.ZERO).build();
    this.api.setHttpClient(
        shared
            .newBuilder()
            .callTimeout(unaryTimeout)
            .readTimeout(unaryTimeout.multipliedBy(3).dividedBy(4))
            .addInterceptor(chain -> timed(chain, metrics))
            .addInterceptor(new NoRetryInterceptor())
            .build());
  }

  /** Counts as {@code api.calls.<method>.<HTTP code, or "none" without an answer>}. */
  private static Response counted(Chain chain, MetricRegistry metrics) throws IOException {
    String code = "none";
    try {
      Response response = chain.proceed(chain.request());
      code = String.valueOf(response.code());
      return response;
    } finally {
      metrics.counter("api.calls." + chain.request().method() + "." + code).inc();
    }
  }

  /** Times as {@code api.time.<method>}, also a call that fails, until the answer begins. */
  private static Response timed(Chain chain, MetricRegistry metrics) throws IOException {
    String name = "api.time." + chain.request().method();
    Timer.Context timing = metrics.timer(name, BucketTimer::ofWork).time();
    try {
      return chain.proceed(chain.request());
    } finally {
      timing.stop();
    }
  }

  /**
   * Connects to the cluster of the kubeconfig file, or without one to the cluster of this pod.
   *
   * @param unaryTimeout limit of a whole unary call
   * @throws IOException when the file or the service account cannot be read
   */
  public static HttpClients connect(
      Optional<Path> kubeconfig, Duration unaryTimeout, MetricRegistry metrics) throws IOException {
    if (kubeconfig.isEmpty()) {
      Path authorities = Path.of(Config.SERVICEACCOUNT_CA_PATH);
      ApiClient api = trusting(ClientBuilder.cluster().build(), Optional.of(authorities));
      return new HttpClients(api, CONTROLLER, unaryTimeout, metrics);
    }
    Path file = kubeconfig.get();
    return new HttpClients(api(read(file), file), CONTROLLER, unaryTimeout, metrics);
  }

  /**
   * Connects to the cluster of this configuration's current context.
   *
   * @param agent the user agent in the audit log
   * @throws IOException when a file named in it cannot be read, or it uses an unsupported field
   */
  public static HttpClients connect(KubeConfig config, String agent, Duration unaryTimeout)
      throws IOException {
    ApiClient api = api(config, Path.of(""));
    return new HttpClients(api, agent, unaryTimeout, new MetricRegistry());
  }

  /** Connects to a server without authentication, such as {@code http://127.0.0.1:8001}. */
  public static HttpClients plain(String url, Duration unaryTimeout, MetricRegistry metrics) {
    return new HttpClients(
        new ClientBuilder().setBasePath(url).setVerifyingSsl(false).build(),
        CONTROLLER,
        unaryTimeout,
        metrics);
  }

  private static KubeConfig read(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      KubeConfig config = KubeConfig.loadKubeConfig(reader);
      config.setFile(file.toFile());
      return config;
    }
  }

  /** Paths in the configuration are relative to the file. */
  private static ApiClient api(KubeConfig config, Path file) throws IOException {
    KubeconfigFields.requireKnown(config);
    return trusting(
        ClientBuilder.kubeconfig(config).build(),
        Optional.ofNullable(config.getCertificateAuthorityFile())
            .filter(unused -> config.getCertificateAuthorityData() == null)
            .map(file::resolveSibling));
  }

  /** client-java reads the authorities only once, but a cluster may replace them. */
  private static ApiClient trusting(ApiClient api, Optional<Path> authorities) throws IOException {
    if (authorities.isPresent() && api.isVerifyingSsl()) {
      FileTrust trust = new FileTrust(authorities.get());
      api.setHttpClient(
          api.getHttpClient()
              .newBuilder()
              .sslSocketFactory(trust.sockets(api.getKeyManagers()), trust)
              .build());
    }
    return api;
  }

  /** The server's address, such as {@code https://10.0.0.1:6443}. */
  public String address() {
    return api.getBasePath();
  }

  /** For unary calls: every one ends within the timeout. */
  public ApiClient api() {
    return api;
  }

  /** Unary JSON calls, one after the other. */
  public JsonCalls calls() {
    return new JsonCalls(this);
  }

  /** Streams for lists and watches, with a limit of the silence. */
  public OkHttpClient streams(Duration longestSilence) {
    return streams.newBuilder().readTimeout(longestSilence).build();
  }

  /** A GET with this client's address and credentials; also the base of other methods. */
  public Request get(String path, Map<String, String> query) throws IOException {
    Map<String, String> headers = new HashMap<>(Map.of("Accept", "application/json"));
    List<Pair> pairs =
        query.entrySet().stream().map(e -> new Pair(e.getKey(), e.getValue())).toList();
    try {
      return api.buildRequest(
          null,
          path,
          "GET",
          pairs,
          List.of(),
          null,
          headers,
          new HashMap<>(),
          new HashMap<>(),
          new String[] {"BearerToken"},
          null);
    } catch (ApiException e) {
      throw new IOException("building GET " + path, e);
    }
  }

  @Override
  public void close() {
    streams.dispatcher().cancelAll();
    streams.dispatcher().executorService().shutdown();
    streams.connectionPool().evictAll();
  }
}
