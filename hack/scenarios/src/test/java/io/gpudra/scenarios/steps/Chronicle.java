package io.gpudra.scenarios.steps;

import com.google.errorprone.annotations.FormatMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened, in words; kept only when somebody is going to read it. */
final class Chronicle {
  private final VirtualClock clock;
  private final boolean kept;
  private final List<String> lines = new ArrayList<>();

  Chronicle(VirtualClock clock, boolean kept) {
    this.clock = clock;
    this.kept = kept;
  }

  @FormatMethod
  void say(String format, Object... words) {
    if (kept) {
      double seconds = Duration.between(VirtualClock.START, clock.instant()).toMillis() / 1e3;
      lines.add(String.format(Locale.ROOT, "%9.3f s  %s", seconds, String.format(format, words)));
    }
  }

  List<String> lines() {
    return lines;
  }
}
