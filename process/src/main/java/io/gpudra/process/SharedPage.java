package io.gpudra.process;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A page without a query that is rendered at most once a second, for all clients together. A page
 * of more than a mebibyte is rendered less often, so that slow clients keep few old ones in memory.
 */
public final class SharedPage implements HttpPage {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long BYTES_A_SECOND = 1 << 20;

  private final Supplier<PageContent.Text> page;
  private final LongSupplier nanoTime;
  private PageContent.@Nullable Text last;
  private long renderedAt;

  /**
   * A page that shares this content.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public SharedPage(Supplier<PageContent.Text> page, LongSupplier nanoTime) {
    this.page = page;
    this.nanoTime = nanoTime;
  }

  @Override
  public synchronized PageContent answer(ImmutableMap<String, String> query) {
    PageContent.Text shared = last;
    if (shared == null || nanoTime.getAsLong() - renderedAt >= fresh(shared)) {
      shared = page.get();
      last = shared;
      renderedAt = nanoTime.getAsLong();
    }
    return shared;
  }

  private static long fresh(PageContent.Text shared) {
    return Math.max(SECOND, SECOND / BYTES_A_SECOND * shared.body().readableBytes());
  }
}
