package io.gpudra.controller.webhook.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.Closer;
import io.gpudra.controller.webhook.certificate.MadeCertificate;
import io.gpudra.controller.webhook.server.ReviewClient.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever some clients do, the others are answered. */
class ReviewPortTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final MadeCertificate CERTIFICATE = MadeCertificate.now();
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final Closer opened = Closer.create();
  private final SSLContext tls;

  ReviewPortTest() throws Exception {
    tls = ReviewClient.trusting(CERTIFICATE.ca());
  }

  @AfterEach
  void close() throws IOException {
    opened.close();
  }

  /** Says what it was sent. */
  private static void echo(InetAddress client, byte[] body, Consumer<byte[]> answer)
      throws IOException {
    String text = new String(body, StandardCharsets.UTF_8);
    if (text.equals("unreadable")) {
      throw new IOException("this is no review");
    }
    if (text.equals("too large")) {
      throw new ReviewTooLargeException("too many values");
    }
    if (text.equals("defect")) {
      throw new IllegalStateException("a defect");
    }
    answer.accept(body);
  }

  private static ServerLimits limits(int clients, int bodies, Duration request, Duration idle) {
    return new ServerLimits(clients, 1000, bodies, request, LONG, idle);
  }

  private ReviewPort open(ServerLimits limits, ReviewHandler reviewHandler) throws IOException {
    ReviewPort port = ReviewPort.open(ANY, CERTIFICATE.key(), limits, reviewHandler);
    opened.register(port::close);
    return port;
  }

  private ReviewPort openWith(X509ExtendedKeyManager key) throws IOException {
    ReviewPort port =
        ReviewPort.open(ANY, key, limits(8, 10_000, LONG, LONG), ReviewPortTest::echo);
    opened.register(port::close);
    return port;
  }

  private ReviewPort open(ServerLimits limits) throws IOException {
    return open(limits, ReviewPortTest::echo);
  }

  private ReviewClient client(ReviewPort port) throws IOException {
    return opened.register(ReviewClient.connect(port.address(), tls, MadeCertificate.HOST));
  }

  /** From another address. */
  private ReviewClient stranger(ReviewPort port) throws IOException {
    return opened.register(
        ReviewClient.connect(
            InetAddress.getByName("127.0.0.2"), port.address(), tls, MadeCertificate.HOST));
  }

  private Socket plain(ReviewPort port) throws IOException {
    return opened.register(new Socket(port.address().getAddress(), port.address().getPort()));
  }

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
  void whoseRequestIsLargestGoesWhenTheyAreTooMuchTogether() throws IOException {
    ReviewPort port = open(limits(8, 1500, LONG, LONG));
    String head = "POST / HTTP/1.1\r\nContent-Length: 990\r\n\r\n";
    ReviewClient large = client(port);
    ReviewClient small = client(port);
    large.send(head + "x".repeat(900));
    small.send(head + "x".repeat(500));

    assertThat(client(port).post("x".repeat(400)).status()).isEqualTo(200);

    assertThat(large.reply().status()).isEqualTo(413);
    assertThat(large.isClosed()).isTrue();
    small.send("x".repeat(490));
    assertThat(small.reply().status()).isEqualTo(200);
  }

  /** Whether a request of this size is taken, from a connection of its own. */
  private boolean isTaken(ReviewPort port, int size) throws IOException {
    return client(port).post("x".repeat(size)).status() == 200;
  }

  /** Keeps reviews that begin with {@code slow} until it is told to go on. */
  private static final class SlowReviews implements ReviewHandler {
    private final CountDownLatch begun;
    private final CountDownLatch left = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    SlowReviews(int many) {
      begun = new CountDownLatch(many);
    }

    @Override
    public void review(InetAddress client, byte[] body, Answer answer) {
      if (new String(body, StandardCharsets.UTF_8).startsWith("slow")) {
        begun.countDown();
        while (end.getCount() > 0) {
          if (!answer.isExpected()) {
            left.countDown();
          }
          Thread.onSpinWait();
        }
      }
      answer.accept(body);
    }
  }

  private static String whole(String body) {
    return "POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body);
  }

  @Test
  void aReviewCountsUntilItEndsAlsoWhenItsClientLeft() throws Exception {
    SlowReviews slow = new SlowReviews(1);
    ReviewPort port = open(limits(8, 1500, LONG, LONG), slow);
    opened.register(slow.end::countDown);
    ReviewClient gone = client(port);
    gone.send(whole("slow" + "x".repeat(896)));
    slow.begun.await();
    gone.close();
    slow.left.await();

    assertThat(isTaken(port, 900)).isFalse();

    slow.end.countDown();
    Awaitility.await().until(() -> isTaken(port, 900));
  }

  @Test
  void whatWasReviewedDoesNotCountWhileItsAnswerWaits() throws Exception {
    ReviewPort port =
        open(
            limits(8, 1500, LONG, LONG),
            (from, body, answer) -> {
              if (body[0] != 's') {
                answer.accept(body);
              }
            });
    client(port).send(whole("silent" + "x".repeat(894)));

    Awaitility.await().until(() -> isTaken(port, 900));
  }

  @Test
  void whatWasNotReviewedDoesNotCountWhenItsClientLeft() throws Exception {
    SlowReviews slow = new SlowReviews(2);
    ReviewPort port = open(limits(8, 1500, LONG, LONG), slow);
    opened.register(slow.end::countDown);
    client(port).send(whole("slow"));
    client(port).send(whole("slow"));
    slow.begun.await();
    ReviewClient gone = client(port);
    gone.send(whole("x".repeat(900)));
    gone.close();

    ReviewClient next = client(port);
    next.send(whole("x".repeat(900)));
    slow.end.countDown();

    assertThat(next.reply().status()).isEqualTo(200);
  }

  @Test
  void whatIsTooMuchTogetherIsThatOfTheAddressWithMost() throws IOException {
    ReviewPort port = open(limits(8, 1500, LONG, LONG));
    String head = "POST / HTTP/1.1\r\nContent-Length: 410\r\n\r\n";
    List<ReviewClient> strangers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      strangers.add(stranger(port));
      strangers.get(i).send(head + "x".repeat(400 + i));
    }

    assertThat(isTaken(port, 600)).isTrue();
    assertThat(strangers.get(2).reply().status()).as("the largest").isEqualTo(413);
    strangers.get(0).send("x".repeat(10));
    assertThat(strangers.get(0).reply().status()).isEqualTo(200);
  }

  @Test
  void aRequestThatWaitsForItsReviewIsRejectedToo() throws Exception {
    SlowReviews slow = new SlowReviews(2);
    ReviewPort port = open(limits(8, 1500, LONG, LONG), slow);
    opened.register(slow.end::countDown);
    stranger(port).send(whole("slow"));
    stranger(port).send(whole("slow"));
    slow.begun.await();
    ReviewClient waiting = stranger(port);
    waiting.send(whole("x".repeat(900)));
    ReviewClient honest = client(port);
    honest.send(whole("x".repeat(600)));

    assertThat(waiting.reply().status()).isEqualTo(413);
    slow.end.countDown();
    assertThat(honest.reply().status()).isEqualTo(200);
  }

  /** Of 1600 bytes, 200 are for requests of at most 6. */
  @Test
  void smallRequestsHaveAReserveOfWhichNoAddressHasAll() throws Exception {
    SlowReviews slow = new SlowReviews(2);
    ReviewPort port = open(limits(64, 1600, LONG, LONG), slow);
    opened.register(slow.end::countDown);
    stranger(port).send(whole("slow" + "x".repeat(696)));
    stranger(port).send(whole("slow" + "x".repeat(696)));
    slow.begun.await();

    ReviewClient large = client(port);
    ReviewClient small = client(port);
    large.send(whole("x".repeat(7)));
    assertThat(large.reply().status()).isEqualTo(413);
    small.send(whole("honest"));
    List<ReviewClient> flood = new ArrayList<>();
    for (int i = 0; i < 33; i++) {
      flood.add(stranger(port));
      flood.get(i).send(whole("stolen"));
    }
    slow.end.countDown();

    assertThat(small.reply().status()).isEqualTo(200);
    int taken = 0;
    for (ReviewClient one : flood) {
      taken += one.reply().status() == 200 ? 1 : 0;
    }
    assertThat(taken).isEqualTo(32);
  }

  @Test
  void theTextOfAnErrorIsShort() throws IOException {
    ReviewPort port =
        open(
            limits(8, 10_000, LONG, LONG),
            (from, body, answer) -> {
              throw new IOException("wrong at $." + "x".repeat(1 << 20));
            });

    assertThat(client(port).post("x").body()).startsWith("wrong at $.x").hasSize(301);
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
