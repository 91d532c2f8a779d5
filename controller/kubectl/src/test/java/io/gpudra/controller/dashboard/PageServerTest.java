package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page over the wire. */
class PageServerTest {
  private static final PageServer.Limits FEW = new PageServer.Limits(4, 2, Duration.ofSeconds(1));

  private final List<Socket> sockets = new ArrayList<>();
  private PageServer server;
  private String cookie;

  @BeforeEach
  void open() throws IOException {
    open(PageServer.Limits.USUAL);
  }

  private void open(PageServer.Limits limits) throws IOException {
    server =
        PageServer.open(
            0,
            limits,
            subject -> {
              if (subject.name().equals("broken")) {
                throw new IllegalStateException("secret");
              }
              return "about " + subject.name();
            });
    cookie =
        header(get(URI.create(server.address()).getRawPath() + "?" + query(), ""), "set-cookie")
            .replaceFirst(";.*", "");
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  private String query() {
    return URI.create(server.address()).getQuery();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(60_000);
    sockets.add(socket);
    return socket;
  }

  private static void send(Socket socket, String head) throws IOException {
    socket.getOutputStream().write((head + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
  }

  private String request(String head) throws IOException {
    try (Socket socket = connect()) {
      send(socket, head);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String get(String path, String with) throws IOException {
    return request(
        "GET "
            + path
            + " HTTP/1.1\r\nHost: 127.0.0.1"
            + (with.isEmpty() ? "" : "\r\nCookie: " + with));
  }

  private static String header(String answer, String name) {
    return answer
        .lines()
        .takeWhile(line -> !line.isEmpty())
        .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }

  private BufferedReader follow() throws IOException {
    Socket socket = connect();
    send(socket, "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + cookie);
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  private static String next(BufferedReader events) throws IOException {
    String line = events.readLine();
    while (line != null && !line.startsWith("data:")) {
      line = events.readLine();
    }
    return line == null ? "ended" : line;
  }

  private static DashboardState scene(String... nodes) {
    ImmutableSortedMap.Builder<String, String> all = ImmutableSortedMap.naturalOrder();
    for (String node : nodes) {
      all.put(node, "[\"" + node + "\"]");
    }
    return new DashboardState(Instant.ofEpochSecond(7), all.buildOrThrow(), ImmutableMap.of(), "");
  }

  @Test
  void theAddressIsOfThisMachineAndLeadsToTheBarePage() throws IOException {
    assertThat(server.address())
        .matches("http://127\\.0\\.0\\.1:" + server.port() + "/\\?token=[A-Za-z0-9_-]{43}");

    String answer = get("/?" + query(), "");

    assertThat(answer).startsWith("HTTP/1.1 303 ");
    assertThat(header(answer, "location")).isEqualTo("/");
    assertThat(header(answer, "set-cookie")).contains("; SameSite=Strict").contains("; HTTPOnly");
    assertThat(get("/", cookie)).startsWith("HTTP/1.1 200 ").contains("<!doctype html>");
  }

  @Test
  void nobodyElseOnTheNetworkReachesIt() throws IOException {
    for (InetAddress address :
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(one -> !one.isLoopbackAddress())
            .toList()) {
      try (Socket socket = new Socket()) {
        assertThatThrownBy(
                () -> socket.connect(new InetSocketAddress(address, server.port()), 2_000))
            .isInstanceOf(IOException.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/page.js",
        "/page.css",
        "/events",
        "/explain?kind=pod",
        "/favicon.ico",
        "/x"
      })
  void nothingIsShownWithoutTheCookie(String path) throws IOException {
    String answer = get(path, "");

    assertThat(answer).startsWith("HTTP/1.1 403 ").contains("Open the address");
    assertThat(header(answer, "set-cookie")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/page.js", "/page.css", "/explain?kind=pod", "/favicon.ico", "/x"})
  void everyAnswerKeepsTheBrowserFromDoingMore(String path) throws IOException {
    for (String with : List.of(cookie, "")) {
      String answer = get(path, with);

      assertThat(header(answer, "content-security-policy"))
          .startsWith("default-src 'self';")
          .contains("frame-ancestors 'none'")
          .contains("require-trusted-types-for 'script'");
      assertThat(header(answer, "x-content-type-options")).isEqualTo("nosniff");
      assertThat(header(answer, "cache-control")).isEqualTo("no-store");
      assertThat(header(answer, "referrer-policy")).isEqualTo("no-referrer");
      assertThat(header(answer, "cross-origin-resource-policy")).isEqualTo("same-origin");
      assertThat(header(answer, "access-control-allow-origin")).isEmpty();
    }
  }

  @Test
  void theStreamOfEventsIsGuardedAsEverythingElse() throws IOException {
    BufferedReader events = follow();

    assertThat(events.lines().takeWhile(line -> !line.isEmpty()))
        .contains(
            "content-type: text/event-stream; charset=utf-8", "X-Content-Type-Options: nosniff")
        .anyMatch(line -> line.startsWith("Content-Security-Policy:"));
  }

  @Test
  void onlyGetIsAnswered() throws IOException {
    String answer = request("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + cookie);

    assertThat(answer).startsWith("HTTP/1.1 405 ");
    assertThat(header(answer, "allow")).isEqualTo("GET");
    assertThat(request("nonsense")).startsWith("HTTP/1.1 400 ");
  }

  @Test
  void aNameThatSomebodyPointedHereGetsNothing() throws IOException {
    assertThat(request("GET / HTTP/1.1\r\nHost: evil.example.com\r\nCookie: " + cookie))
        .startsWith("HTTP/1.1 403 ")
        .doesNotContain("<!doctype");
    assertThat(
            request(
                "GET http://evil.example.com/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + cookie))
        .startsWith("HTTP/1.1 404 ");
  }

  @Test
  void anExplanationIsPlainTextOfThisVeryObject() throws IOException {
    String answer = get("/explain?kind=pod&namespace=a&name=%3Cb%3Ehi%3C%2Fb%3E", cookie);

    assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("about <b>hi</b>\n");
    assertThat(header(answer, "content-type")).isEqualTo("text/plain; charset=utf-8");
    assertThat(get("/explain?kind=node&namespace=a&name=b", cookie)).startsWith("HTTP/1.1 400 ");
    assertThat(get("/explain?kind=pod&namespace=a", cookie)).startsWith("HTTP/1.1 400 ");
    assertThat(get("/explain?kind=pod&namespace=a&name=broken", cookie))
        .startsWith("HTTP/1.1 500 ")
        .doesNotContain("secret");
    assertThat(get("/secret", cookie)).startsWith("HTTP/1.1 404 ");
  }

  @Test
  void aWindowIsToldAllAndThenOnlyWhatChanged() throws IOException {
    server.show(scene("n1", "n2"));
    BufferedReader events = follow();
    assertThat(next(events))
        .isEqualTo("data:{\"at\":7,\"trouble\":\"\",\"reset\":true,\"nodes\":[[\"n1\"],[\"n2\"]]}");

    server.show(scene("n2", "n3"));

    assertThat(next(events))
        .isEqualTo("data:{\"at\":7,\"trouble\":\"\",\"nodes\":[[\"n3\"]],\"gone\":[\"n1\"]}");
  }

  @Test
  void aWindowThatDoesNotReadCostsOneSceneAndIsClosed() throws Exception {
    close();
    open(FEW);
    String big = "x".repeat(4 << 20);
    BufferedReader slow = follow();
    server.show(scene("first"));
    assertThat(next(slow)).contains("first");

    for (int i = 0; i < 50; i++) {
      server.show(
          new DashboardState(
              Instant.EPOCH,
              ImmutableSortedMap.of("n" + i, "\"" + big + "\""),
              ImmutableMap.of(),
              ""));
    }

    await("the window that reads nothing is closed")
        .atMost(Duration.ofSeconds(60))
        .until(() -> connects(2));
    assertThat(next(follow())).contains("\"reset\":true");
  }

  /** Whether so many more windows may follow. */
  private boolean connects(int more) throws IOException {
    List<BufferedReader> readers = new ArrayList<>();
    boolean all = true;
    for (int i = 0; i < more; i++) {
      BufferedReader events = follow();
      readers.add(events);
      String status = events.readLine();
      all &= status != null && status.startsWith("HTTP/1.1 200");
    }
    for (BufferedReader reader : readers) {
      reader.close();
    }
    return all;
  }

  @Test
  void thereAreOnlySoManyWindows() throws IOException {
    close();
    open(new PageServer.Limits(4, 2, Duration.ofMinutes(5)));
    assertThat(follow().readLine()).startsWith("HTTP/1.1 200 ");
    assertThat(follow().readLine()).startsWith("HTTP/1.1 200 ");
    assertThat(follow().readLine()).startsWith("HTTP/1.1 503 ");
  }

  @Test
  void silentConnectionsKeepNoBrowserOut() throws IOException {
    close();
    open(new PageServer.Limits(4, 2, Duration.ofMinutes(5)));
    BufferedReader window = follow();
    assertThat(window.readLine()).startsWith("HTTP/1.1 200 ");
    Socket oldest = connect();
    for (int i = 0; i < 80; i++) {
      connect();
    }

    assertThat(get("/", cookie)).startsWith("HTTP/1.1 200 ");

    assertThat(isClosed(oldest)).isTrue();
    server.show(scene("n1"));
    assertThat(next(window)).contains("n1");
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  @Test
  void whoConnectsAndSaysNothingIsClosed() throws IOException {
    close();
    open(FEW);

    assertThat(isClosed(connect())).isTrue();
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    assertThatThrownBy(() -> PageServer.open(server.port(), PageServer.Limits.USUAL, subject -> ""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--port " + server.port());
  }
}
