package io.gpudra.controller.client.watch;

import java.io.FilterReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Reader;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import okhttp3.Call;

/**
 * Ends a list that takes too long or is too large, although each of its objects is small in memory.
 *
 * @param time maximum from the request to the last character; zero for any
 * @param characters maximum of the answer
 * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
 */
public record ListLimit(Duration time, long characters, LongSupplier nanoTime) {
  /** For lists of the cluster, which must be complete. */
  static final ListLimit NONE = new ListLimit(Duration.ZERO, Long.MAX_VALUE, () -> 0);

  /**
   * The limit of one of several lists that end together; a list after the end is not read.
   *
   * @param end on the clock of {@link System#nanoTime}
   */
  public static ListLimit until(long end, long characters) {
    Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
    return new ListLimit(left, characters, System::nanoTime);
  }

  /** The call, which ends after the time even if the server falls silent. */
  Call of(Call call) {
    call.timeout().timeout(time.toNanos(), TimeUnit.NANOSECONDS);
    return call;
  }

  /** The exception for the end of a call that took too long. */
  IOException of(InterruptedIOException end) {
    return time.isZero() ? end : new TooSlowException(tooSlow());
  }

  private String tooSlow() {
    return "the list takes longer than %d s".formatted(time.toSeconds());
  }

  /** The answer to a request that was sent at this time. */
  Reader of(Reader answer, long sent) {
    return new LimitedReader(answer, sent);
  }

  private final class LimitedReader extends FilterReader {
    private final long sent;
    private long count;

    LimitedReader(Reader answer, long sent) {
      super(answer);
      this.sent = sent;
    }

    @Override
    public int read(char[] into, int offset, int length) throws IOException {
      int read = in.read(into, offset, length);
      count += read;
      if (count > characters) {
        throw new TooLargeException("the list has more than %d characters".formatted(characters));
      }
      if (nanoTime.getAsLong() - sent > time.toNanos()) {
        throw new TooSlowException(tooSlow());
      }
      return read;
    }

    @Override
    public int read() throws IOException {
      char[] one = new char[1];
      return read(one, 0, 1) < 0 ? -1 : one[0];
    }
  }
}
