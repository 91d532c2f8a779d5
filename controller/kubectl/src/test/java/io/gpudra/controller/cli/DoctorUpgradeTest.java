package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.http.Kubeconfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An API server of any version, and an administrator who upgrades it. */
class DoctorUpgradeTest {
  private static final String CLASSIC = "/apis/resource.k8s.io/v1alpha2/";
  private static final String LEASES = "/apis/coordination.k8s.io/v1/leases";
  private static final String HELD =
      """
      {"metadata":{"namespace":"a","name":"c",
       "finalizers":["gpu.resource.example.com/deletion-protection"]}}\
      """;

  static {
    // Without it, the end of each answer waits 40 ms for the client to acknowledge the headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final Map<String, Reply> replies = new ConcurrentHashMap<>();
  private final Queue<String> methods = new ConcurrentLinkedQueue<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path directory;
  private HttpServer server;

  private record Reply(int code, String body) {}

  @BeforeEach
  void serve(@TempDir Path temporary) throws IOException {
    directory = temporary;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    classic();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    methods.add(exchange.getRequestMethod());
    URI asked = exchange.getRequestURI();
    String query = String.valueOf(asked.getQuery());
    String token = query.contains("continue=") ? query.replaceFirst(".*continue=", "?") : "";
    Reply reply = replies.getOrDefault(asked.getPath() + token, new Reply(404, "{}"));
    byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(reply.code(), body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void version(int minor, String... served) {
    replies.put("/version", new Reply(200, "{\"minor\":\"%d\"}".formatted(minor)));
    String versions =
        String.join(",", Stream.of(served).map("{\"version\":\"%s\"}"::formatted).toList());
    replies.put(
        "/apis/resource.k8s.io",
        new Reply(served.length == 0 ? 404 : 200, "{\"versions\":[%s]}".formatted(versions)));
  }

  private void classic() {
    version(30, "v1alpha2");
  }

  private void list(String path, String... items) {
    replies.put(path, new Reply(200, "{\"items\":[%s]}".formatted(String.join(",", items))));
  }

  private int doctor(String... options) throws IOException {
    Path kubeconfig = directory.resolve("kubeconfig");
    Kubeconfig.write(kubeconfig, URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
    out.getBuffer().setLength(0);
    String[] all =
        Stream.concat(
                Stream.of("doctor", "--upgrade", "--kubeconfig=" + kubeconfig), Stream.of(options))
            .toArray(String[]::new);
    return GpudraCommand.command(all)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }

  private List<String> labels() throws IOException {
    int unused = doctor("-o", "json");
    JsonNode steps = Json.parse(out.toString()).path("steps");
    return StreamSupport.stream(steps.spliterator(), false)
        .map(step -> step.path("complaint").asText())
        .toList();
  }

  @Test
  void aClusterWithoutStoredObjectsMayBeUpgraded() throws IOException {
    assertThat(doctor()).isZero();
    assertThat(out.toString()).isEqualTo("the API server may be replaced\n");
  }

  @Test
  void anUpgradeIsNotSafeWithAnObjectThatIsTooLarge() throws IOException {
    list(
        "/api/v1/pods",
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{\"a\":\"%s\"}}"
            .formatted("x".repeat(5 << 20)));

    assertThat(doctor()).isEqualTo(GpudraCommand.NOT_ANSWERED);
    assertThat(out.toString()).isEqualTo("not all could be checked\n");
    assertThat(err.toString()).contains("pods: n/p is too large");
  }

  @Test
  void aStepIsPrintedWithItsCommandAndMakesTheExitCodeOne() throws IOException {
    list(CLASSIC + "resourceclasses", "{\"metadata\":{\"name\":\"gpu\"}}");

    assertThat(doctor()).isEqualTo(1);
    assertThat(out.toString())
        .endsWith(
            """
            ClassStored: ResourceClass gpu
              what:   is stored in v1alpha2, which no later API server reads
              to do:  kubectl delete resourceclass gpu

            steps: 2, of which 1 must come before the API server is replaced
            """);
  }

  @Test
  void stepsThatMayWaitLeaveTheExitCodeZero() throws IOException {
    list(
        "/api/v1/nodes",
        "{\"metadata\":{\"name\":\"n\"},\"status\":{\"nodeInfo\":{\"kubeletVersion\":\"v1.30.1\"}}}");

    assertThat(doctor("--to=1.34")).isZero();
    assertThat(labels()).containsExactly("StateFileStays", "CgroupsUnknown");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        CLASSIC + "resourceclaims",
        "/api/v1/pods",
        "/apis/apps/v1/controllerrevisions",
        "/api/v1/nodes",
        LEASES,
      })
  void anUpgradeIsNeverSafeWhereACheckWasNotPossible(String hidden) throws IOException {
    replies.put(hidden, new Reply(403, "{}"));

    assertThat(doctor()).isEqualTo(2);
    assertThat(out.toString()).isEqualTo("not all could be checked\n");
    assertThat(err.toString()).contains("the right to read " + hidden + " is missing");
  }

  @Test
  void aServerThatDoesNotServeTheClassicApiMayStoreItsObjects() throws IOException {
    version(30);

    assertThat(doctor()).isEqualTo(2);
    assertThat(err.toString()).contains("not checked: resource.k8s.io: the server does not serve");
  }

  @Test
  void aLeaseThatIsRenewedLetsClaimsBeDeleted() throws IOException {
    list(CLASSIC + "resourceclaims", HELD);
    assertThat(labels()).contains("NoLeader");

    list(LEASES, lease(Instant.now().minusSeconds(60)));
    assertThat(labels()).contains("NoLeader");

    list(LEASES, lease(Instant.now()));
    assertThat(labels()).containsExactly("ObjectsToTranslate", "ClaimStored");
  }

  private static String lease(Instant renewed) {
    return """
    {"spec":{"holderIdentity":"one","leaseDurationSeconds":15,"renewTime":"%s"}}\
    """
        .formatted(renewed);
  }

  @Test
  void aLaterServerWithNothingLeftIsSaidToBe() throws IOException {
    version(36, "v1", "v1beta1", "v1beta2");

    assertThat(doctor()).isZero();
    assertThat(out.toString()).isEqualTo("nothing was left behind\n");
  }

  @Test
  void aListThatFailsIsAFindingAndNotACheckThatWasNotPossible() throws IOException {
    version(36, "v1", "v1beta1");
    replies.put("/apis/resource.k8s.io/v1/resourceclaims", new Reply(500, "{}"));

    assertThat(doctor("-o", "json")).isEqualTo(1);
    assertThat(Json.parse(out.toString()).path("notLookedAt")).isEmpty();
    assertThat(Json.parse(out.toString()).at("/steps/0/todo").asText())
        .isEqualTo("etcdctl del --prefix /registry/resourceclaims/");
  }

  @Test
  void aListThatFailsOnALaterPageIsFound() throws IOException {
    version(31, "v1alpha3");
    String claims = "/apis/resource.k8s.io/v1alpha3/resourceclaims";
    replies.put(claims, new Reply(200, "{\"metadata\":{\"continue\":\"more\"},\"items\":[]}"));
    replies.put(claims + "?more", new Reply(500, "{}"));

    assertThat(labels()).containsExactly("ListUnreadable");
  }

  @Test
  void aLaterServerWhoseListIsForbiddenIsNotSaidToBeClean() throws IOException {
    version(36, "v1");
    replies.put("/apis/resource.k8s.io/v1/resourceclaims", new Reply(403, "{}"));

    assertThat(doctor()).isEqualTo(2);
  }

  @Test
  void aServerBetweenTheTwoApisIsTold() throws IOException {
    version(32);

    assertThat(doctor()).isZero();
    assertThat(labels()).containsExactly("ApiOff");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.30", "1.38", "36", "v1.36", "1.36.3"})
  void aTargetThatIsNoneIsRefused(String target) throws IOException {
    assertThat(doctor("--to=" + target)).isEqualTo(2);
    assertThat(err.toString()).contains("'" + target + "' is none of 1.31 to 1.37");
  }

  @Test
  void nothingIsWritten() throws IOException {
    list(CLASSIC + "resourceclaims", HELD);
    doctor();

    assertThat(methods).isNotEmpty().allMatch("GET"::equals);
  }
}
