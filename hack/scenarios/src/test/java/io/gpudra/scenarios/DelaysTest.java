package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.MoreFiles;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.process.BackOff;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The controller has its delays in one place, and architecture.md 7.6 has the same. */
class DelaysTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| ([^|]+) \\|");
  private static final Pattern DELAY =
      Pattern.compile("Duration\\.of(Millis|Seconds|Minutes|Hours|Days)\\(\\d");

  /**
   * How long values are kept or counted, or a search may last; the progress of a command; the bound
   * of options.
   */
  private static final ImmutableSet<String> NO_DELAYS =
      ImmutableSet.of(
          "ControllerOptions",
          "GpuDriver",
          "GpuSeconds",
          "NodeCapacities",
          "ProgressReporter",
          "SearchRetries",
          "WaitingClaimCounts");

  @Test
  void theTableHasTheDelaysOfTheController() {
    ImmutableList<String> table =
        ROW.matcher(Pages.text("docs/design/architecture.md"))
            .results()
            .map(row -> row.group(1) + " " + row.group(2))
            .collect(toImmutableList());

    assertThat(table)
        .containsExactlyElementsOf(
            Stream.of(ControllerDelays.class.getFields()).map(DelaysTest::row).toList());
  }

  @Test
  void noOtherTypeHasADelay() throws IOException {
    for (String module : ImmutableList.of("cel", "core", "gates", "cluster", "manager")) {
      for (Path file : SourceFiles.of("controller/" + module)) {
        String type = MoreFiles.getNameWithoutExtension(file);
        if (!type.equals("ControllerDelays") && !NO_DELAYS.contains(type)) {
          assertThat(Files.readString(file)).as(type).doesNotContainPattern(DELAY);
        }
      }
    }
  }

  private static String row(Field delay) {
    try {
      return delay.getName() + " " + text(delay.get(null));
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private static String text(Object value) {
    return value instanceof BackOff backOff
        ? text(backOff.first()) + " to " + text(backOff.longest())
        : text((Duration) value);
  }

  private static String text(Duration time) {
    if (time.toSecondsPart() > 0) {
      return time.toSeconds() + " s";
    }
    return time.toMinutes() > 0 ? time.toMinutes() + " min" : time.toMillis() + " ms";
  }
}
