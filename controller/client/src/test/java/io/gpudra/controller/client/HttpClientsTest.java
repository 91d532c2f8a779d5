package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableSet;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class HttpClientsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Of a sender on a busy machine. */
  private static final Duration LONGER_THAN_A_PAUSE = Duration.ofSeconds(2);

  private static final int RECORD_HEADER = 5;
  private static final int MESSAGE_HEADER = 4;
  private static final int VERSION_AND_RANDOM = 34;
  private static final int AES_128_GCM_SHA256 = 0x1301;
  private static final int CHACHA20_POLY1305_SHA256 = 0x1303;

  @Test
  void asksForTheCheapCipherFirstAndForAllWhenThatIsRefused() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
        HttpClients http =
            HttpClients.plain(
                "https://127.0.0.1:" + server.getLocalPort(), LIMIT, new MetricRegistry())) {
      Future<?> call =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(() -> http.calls().get("/version"))
                      .isInstanceOf(IOException.class));

      assertThat(offeredThenRefused(server))
          .contains(CHACHA20_POLY1305_SHA256)
          .doesNotContain(AES_128_GCM_SHA256);
      assertThat(offeredThenRefused(server)).contains(CHACHA20_POLY1305_SHA256, AES_128_GCM_SHA256);
      call.get();
    }
  }

  @Test
  void aServerThatAnswersBitByBitEndsNoLaterThanOneThatIsSilent() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpClients http =
            HttpClients.plain(
                "http://127.0.0.1:" + server.getLocalPort(),
                LONGER_THAN_A_PAUSE,
                new MetricRegistry())) {
      Future<?> call =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(() -> http.calls().get("/version"))
                      .isInstanceOf(InterruptedIOException.class)
                      .hasMessage("timeout"));
      trickle(server);
      call.get();
    }
  }

  /** A header that never ends, a byte at a time: no silence is ever long. */
  private static void trickle(ServerSocket server) throws IOException {
    try (Socket socket = server.accept();
        OutputStream out = socket.getOutputStream()) {
      socket.setTcpNoDelay(true);
      out.write("HTTP/1.1 200 OK\r\nX: ".getBytes(StandardCharsets.US_ASCII));
      await().atMost(LIMIT).until(() -> !takes(out));
    }
  }

  private static boolean takes(OutputStream out) throws IOException {
    try {
      out.write('x');
      return true;
    } catch (SocketException hungUp) {
      return false;
    }
  }

  /** Cipher suites of the next connection's ClientHello (RFC 8446, 4.1.2). */
  private static ImmutableSet<Integer> offeredThenRefused(ServerSocket server) throws IOException {
    try (Socket socket = server.accept();
        DataInputStream hello = new DataInputStream(socket.getInputStream())) {
      hello.skipNBytes(RECORD_HEADER + MESSAGE_HEADER + VERSION_AND_RANDOM);
      hello.skipNBytes(hello.readUnsignedByte());
      ImmutableSet.Builder<Integer> suites = ImmutableSet.builder();
      for (int rest = hello.readUnsignedShort(); rest > 0; rest -= Short.BYTES) {
        suites.add(hello.readUnsignedShort());
      }
      return suites.build();
    }
  }
}
