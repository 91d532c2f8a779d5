package io.gpudra.controller.webhook.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.controller.webhook.certificate.MadeCertificate;
import io.gpudra.controller.webhook.server.ReviewClient.Reply;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever some clients do, the others are answered. */
class ReviewPortTest extends ReviewPortCase {
  @Test
  void aConnectionServesManyReviews() throws IOException {
    ReviewClient client = client(open(limits(8, 10_000, LONG, LONG)));

    for (int i = 0; i < 10; i++) {
      assertThat(client.post("review " + i)).isEqualTo(new Reply(200, "review " + i, true));
    }
  }

  @Test
  void whereAReviewComesFromIsKnown() throws IOException {
    ReviewPort port =
        open(
            limits(8, 10_000, LONG, LONG),
            (client, body, answer) ->
                answer.accept(client.getHostAddress().getBytes(StandardCharsets.UTF_8)));

    assertThat(stranger(port).post("").body()).isEqualTo("127.0.0.2");
    assertThat(client(port).post("").body()).isEqualTo("127.0.0.1");
  }

  @Test
  void whoEndsAnswersEachClientOnceMore() throws IOException {
    ReviewPort port = open(limits(8, 10_000, LONG, LONG));
    ReviewClient client = client(port);
    assertThat(client.post("one")).isEqualTo(new Reply(200, "one", true));

    port.sendAway();

    assertThat(client.post("another")).isEqualTo(new Reply(200, "another", false));
    assertThat(client.isClosed()).isTrue();
    assertThat(client(port).post("the last")).isEqualTo(new Reply(200, "the last", false));
  }

  @Test
  void theCertificateIsForTheServiceAndForNothingElse() throws IOException {
    ReviewPort port = open(limits(8, 10_000, LONG, LONG));

    assertThatThrownBy(() -> ReviewClient.connect(port.address(), tls, "elsewhere.gpudra.svc"))
        .hasMessageContaining("elsewhere.gpudra.svc");
  }

  @ParameterizedTest
  @CsvSource({
    "too large, 413, too many values, true",
    "unreadable, 400, this is no review, true",
    "defect, 500, java.lang.IllegalStateException: a defect, true",
  })
  void whatCannotBeAnsweredIsSaidAndTheConnectionStays(
      String body, int status, String said, boolean kept) throws IOException {
    ReviewClient client = client(open(limits(8, 10_000, LONG, LONG)));

    assertThat(client.post(body)).isEqualTo(new Reply(status, said + "\n", kept));
    assertThat(client.post("next").body()).isEqualTo("next");
  }

  @Test
  void aReviewThatIsTooLargeIsNotRead() throws IOException {
    ReviewPort port = open(limits(8, 10_000, LONG, LONG));

    assertThat(client(port).post("x".repeat(1000)).status()).isEqualTo(200);
    assertThat(client(port).post("x".repeat(1001)))
        .isEqualTo(new Reply(413, "request body exceeds 1000 bytes\n", false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PUT", "DELETE"})
  void onlyPostsAreReviews(String method) throws IOException {
    ReviewClient client = client(open(limits(8, 10_000, LONG, LONG)));

    client.send(method + " / HTTP/1.1\r\nHost: a\r\n\r\n");

    assertThat(client.reply())
        .isEqualTo(new Reply(405, "an AdmissionReview is sent by POST\n", false));
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void whoSpeaksNoHttpIsClosed() throws IOException {
    ReviewClient client = client(open(limits(8, 10_000, LONG, LONG)));

    client.send("hello\r\n\r\n");

    assertThat(client.reply().status()).isEqualTo(400);
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void whoDoesNotWaitForTheAnswerIsClosed() throws IOException {
    ReviewClient client = client(open(limits(8, 10_000, LONG, LONG), (from, body, answer) -> {}));

    client.send("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx");
    client.send("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx");

    assertThat(client.isClosed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "POST / HTTP/1.1\r\nx: ",
        "POST / HTTP/1.1\r\nContent-Length: 900\r\n\r\nbegun",
      })
  void whoIsTooSlowIsClosedAlsoWhenNobodyElseComes(String begun) throws IOException {
    ReviewClient client = client(open(limits(8, 10_000, SHORT, LONG)));

    assertThat(isClosedAfter(client, begun)).isTrue();
  }

  /** On a busy machine it is closed before it sends. */
  private static boolean isClosedAfter(ReviewClient client, String begun) {
    try {
      client.send(begun);
      return client.isClosed();
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void whoSaysNothingAtAllIsClosed() throws IOException {
    assertThat(ReviewClient.isClosed(plain(open(limits(8, 10_000, SHORT, LONG))))).isTrue();
  }

  @Test
  void aConnectionThatIsNotUsedIsClosed() throws IOException {
    ReviewClient client = client(open(limits(8, 10_000, LONG, SHORT)));

    assertThat(client.post("one").status()).isEqualTo(200);

    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void aReviewThatTakesTooLongIsClosed() throws IOException {
    ServerLimits limits = new ServerLimits(8, 1000, 10_000, LONG, SHORT, LONG);
    ReviewClient client = client(open(limits, (from, body, answer) -> {}));

    client.send("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx");

    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void oneTooManyTakesThePlaceOfWhoWasAnsweredLongestAgo() throws IOException {
    ReviewPort port = open(limits(2, 10_000, LONG, LONG));
    ReviewClient first = client(port);
    ReviewClient second = client(port);
    assertThat(first.post("again").status()).isEqualTo(200);

    ReviewClient third = client(port);

    assertThat(second.isClosed()).isTrue();
    assertThat(first.post("still here").body()).isEqualTo("still here");
    assertThat(third.post("here, too").body()).isEqualTo("here, too");
  }

  @Test
  void connectionsThatAreBeingAnsweredCountAndMakeRoomAfterTheOthers() throws Exception {
    CountDownLatch asked = new CountDownLatch(3);
    ReviewPort port =
        open(
            limits(4, 10_000, LONG, LONG),
            (from, body, answer) -> {
              asked.countDown();
              if (from.equals(ANY.getAddress())) {
                answer.accept(body);
              }
            });
    List<ReviewClient> served = List.of(stranger(port), stranger(port), stranger(port));
    for (ReviewClient one : served) {
      one.send("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx");
    }
    asked.await();
    ReviewClient idle = stranger(port);

    ReviewClient first = client(port);
    assertThat(idle.isClosed()).isTrue();

    ReviewClient second = client(port);
    assertThat(served.get(0).isClosed()).isTrue();
    assertThat(first.post("here").body()).isEqualTo("here");
    assertThat(second.post("here, too").body()).isEqualTo("here, too");
  }

  @Test
  void fiveHundredAtOnceAreAllAnswered() throws Exception {
    int many = 500;
    CountDownLatch all = new CountDownLatch(many);
    List<Consumer<byte[]>> waiting = new ArrayList<>();
    ReviewPort port =
        open(
            new ServerLimits(512, 1000, 1 << 20, LONG, LONG, LONG),
            (from, body, answer) -> {
              synchronized (waiting) {
                waiting.add(answer);
              }
              all.countDown();
            });
    ExecutorService clients = Executors.newFixedThreadPool(50);
    opened.register(clients::shutdownNow);
    List<ReviewClient> connected = new ArrayList<>();
    for (Future<ReviewClient> one :
        clients.invokeAll(
            Collections.<Callable<ReviewClient>>nCopies(
                many, () -> ReviewClient.connect(port.address(), tls, MadeCertificate.HOST)))) {
      connected.add(opened.register(one.get()));
    }

    for (ReviewClient client : connected) {
      client.send("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx");
    }
    all.await();
    waiting.forEach(answer -> answer.accept(new byte[] {'y'}));

    for (ReviewClient client : connected) {
      assertThat(client.reply().body()).isEqualTo("y");
    }
  }

  private void connectAndLeave(ReviewPort port) {
    try {
      ReviewClient.connect(port.address(), tls, MadeCertificate.HOST).close();
    } catch (IOException e) {
      // The port is closed before it was let in.
    }
  }

  @Test
  void handshakesThatStrangersBeginKeepNoReviewWaiting() throws Exception {
    SlowKey key = new SlowKey(CERTIFICATE.key());
    ReviewPort port = openWith(key);
    ReviewClient client = client(port);
    assertThat(client.post("one").status()).isEqualTo(200);
    key.close();
    opened.register(key::open);
    ExecutorService strangers = Executors.newCachedThreadPool();
    opened.register(strangers::shutdownNow);
    for (int i = 0; i < 6; i++) {
      strangers.execute(() -> connectAndLeave(port));
    }
    key.awaitAsked();

    assertThat(client.post("another").body()).isEqualTo("another");
  }

  /** As fast as one thread can, from another address; each takes the place of one before. */
  private static void bother(ReviewPort port) {
    Deque<Socket> strangers = new ArrayDeque<>();
    while (!Thread.currentThread().isInterrupted()) {
      try {
        Socket stranger = new Socket();
        strangers.add(stranger);
        stranger.bind(new InetSocketAddress("127.0.0.2", 0));
        stranger.connect(port.address());
        stranger.getOutputStream().write(22);
        if (strangers.size() > 200) {
          strangers.remove().close();
        }
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void anApiServerIsAnsweredBesideStrangersWhoFillThePort() throws Exception {
    ReviewPort port = open(new ServerLimits(64, 1000, 10_000, LONG, LONG, LONG));
    Thread strangers = new Thread(() -> bother(port));
    strangers.start();
    try {
      for (int i = 0; i < 20; i++) {
        assertThat(client(port).post("review").status()).isEqualTo(200);
      }
    } finally {
      strangers.interrupt();
      strangers.join();
    }
  }
}
