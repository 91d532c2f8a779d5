package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Timer;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBucket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BucketTimerTest {
  private final ManualTime time = new ManualTime();
  private final BucketTimer timer = BucketTimer.ofWork(time);

  private long countUpTo(double seconds) {
    return timer.buckets().getClassicBuckets().stream()
        .filter(bucket -> bucket.getUpperBound() <= seconds)
        .mapToLong(ClassicHistogramBucket::getCount)
        .sum();
  }

  @Test
  void whatWasTimedIsInItsBucket() {
    Timer.Context timing = timer.time();
    time.pass(TimeUnit.MILLISECONDS.toNanos(7));
    timing.stop();

    assertThat(countUpTo(0.005)).isZero();
    assertThat(countUpTo(0.01)).isEqualTo(1);
    assertThat(timer.buckets().getSum()).isEqualTo(0.007);
    assertThat(timer.getCount()).isEqualTo(1);
  }

  @Test
  void whicheverWaySomethingIsTimedItIsCounted() throws Exception {
    timer.update(2, TimeUnit.SECONDS);
    timer.update(Duration.ofSeconds(2));
    timer.time(() -> time.pass(TimeUnit.SECONDS.toNanos(2)));
    assertThat(timer.time(() -> passed(2))).isEqualTo(2);
    assertThat(timer.timeSupplier(() -> passed(2))).isEqualTo(2);

    assertThat(countUpTo(1)).isZero();
    assertThat(countUpTo(2.5)).isEqualTo(5);
    assertThat(timer.getCount()).isEqualTo(5);
  }

  private int passed(int seconds) {
    time.pass(TimeUnit.SECONDS.toNanos(seconds));
    return seconds;
  }

  @Test
  void whatTakesLongerThanAllBoundsIsCountedToo() {
    timer.update(1, TimeUnit.HOURS);

    assertThat(countUpTo(60)).isZero();
    assertThat(countUpTo(Double.POSITIVE_INFINITY)).isEqualTo(1);
  }

  @Test
  void waitingIsToldApartFromAnInstantToADay() {
    BucketTimer waiting = BucketTimer.ofWaiting();

    assertThat(
            waiting.buckets().getClassicBuckets().stream()
                .map(ClassicHistogramBucket::getUpperBound))
        .startsWith(0.05)
        .contains(86_400.0)
        .endsWith(Double.POSITIVE_INFINITY);
  }
}
