package io.gpudra.controller.client.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.CharStreams;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A list that would take too long, or is too large. */
class ListLimitTest {
  private static final Duration TIME = Duration.ofSeconds(2);

  private final AtomicLong now = new AtomicLong();
  private final ListLimit limit = new ListLimit(TIME, 10, now::get);

  private Reader list(String text) {
    return limit.of(new StringReader(text), 0);
  }

  @Test
  void aListWithinTheLimitIsReadAsItIs() throws IOException {
    assertThat(CharStreams.toString(list("0123456789"))).isEqualTo("0123456789");
    assertThat(list("01").read()).isEqualTo('0');
    assertThat(list("").read()).isEqualTo(-1);
  }

  @Test
  void aListThatIsTooLargeEnds() {
    assertThatThrownBy(() -> CharStreams.toString(list("0123456789a")))
        .isInstanceOf(TooLargeException.class)
        .hasMessage("the list has more than 10 characters");
  }

  @Test
  void aListThatTakesTooLongEnds() throws IOException {
    Reader list = list("01");
    now.set(TIME.toNanos());
    assertThat(list.read()).isEqualTo('0');

    now.incrementAndGet();
    assertThatThrownBy(list::read)
        .isInstanceOf(TooSlowException.class)
        .hasMessage("the list takes longer than 2 s");
  }
}
