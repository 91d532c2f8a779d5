package io.gpudra.controller.webhook.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * However much clients send at once, and however slowly they read, the memory for it is bounded.
 */
class ReviewMemoryTest extends ReviewPortCase {
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

  private void keepBusy(SlowReviews slow, ReviewClient... clients) throws Exception {
    opened.register(slow.end::countDown);
    for (ReviewClient client : clients) {
      client.send(whole("slow"));
    }
    slow.begun.await();
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
    keepBusy(slow, client(port), client(port));
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
    keepBusy(slow, stranger(port), stranger(port));
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
}
