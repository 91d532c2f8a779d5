package io.gpudra.controller.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import java.net.InetAddress;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which reviews wait for a second evaluation when there are many. */
class DoubtfulReviewsTest extends Ticker {
  private static final InetAddress SERVER = Reviews.client(100);
  private static final int ATTACKERS = 7;

  private final DoubtfulReviews doubtfulReviews = new DoubtfulReviews(this);
  private long nanos;

  /** The number that wait if the client has as many small ones as it likes. */
  private int flood(InetAddress client) {
    int waiting = 0;
    while (doubtfulReviews.take(client, 0)) {
      waiting++;
    }
    return waiting;
  }

  private int attack() {
    return IntStream.range(0, ATTACKERS).map(i -> flood(Reviews.client(i))).sum();
  }

  private void leave(InetAddress client, int waiting) {
    for (int i = 0; i < waiting; i++) {
      doubtfulReviews.leave(client, 0);
    }
  }

  @Test
  void anAddressThatHadNoneLatelyFindsRoomBesideAFlood() {
    flood(SERVER);
    leave(SERVER, 64);
    attack();
    assertThat(doubtfulReviews.take(SERVER, 0)).as("had some in this minute").isFalse();

    nanos += Duration.ofMinutes(1).toNanos();
    assertThat(doubtfulReviews.take(SERVER, 0)).isTrue();
  }

  @Test
  void addressesThatKeepAskingHaveEqualShares() {
    for (int i = 0; i < ATTACKERS; i++) {
      leave(Reviews.client(i), flood(Reviews.client(i)));
    }
    leave(SERVER, flood(SERVER));

    assertThat(attack()).isEqualTo(ATTACKERS * 6);
    assertThat(flood(SERVER)).isEqualTo(6);
  }

  @Test
  void aLargeReviewTakesTheRoomOfItsBytes() {
    int mebibyte = 1 << 20;
    assertThat(doubtfulReviews.take(SERVER, 3 * mebibyte)).isTrue();
    assertThat(doubtfulReviews.take(SERVER, 0)).isFalse();
    doubtfulReviews.leave(SERVER, 3 * mebibyte);
    assertThat(doubtfulReviews.take(SERVER, 3 * mebibyte)).isTrue();
  }

  @Test
  void aNewAddressTakesNoMoreThanItsShare() {
    int mebibyte = 1 << 20;
    assertThat(doubtfulReviews.take(SERVER, 4 * mebibyte)).isFalse();
    assertThat(doubtfulReviews.take(SERVER, 3 * mebibyte)).isTrue();
    assertThat(doubtfulReviews.take(Reviews.client(0), mebibyte)).isTrue();
  }

  @Override
  public long read() {
    return nanos;
  }
}
