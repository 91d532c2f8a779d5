package io.gpudra.process;

import com.google.common.primitives.Longs;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations on the command line: {@code 500ms}, {@code 15s}, {@code 2m}, {@code 1h}. */
public final class DurationText implements ITypeConverter<Duration> {
  private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,12})(ms|s|m|h)");

  @Override
  public Duration convert(String text) {
    Matcher matcher = SYNTAX.matcher(text);
    @Nullable Long number = matcher.matches() ? Longs.tryParse(matcher.group(1)) : null;
    if (number == null) {
      throw new TypeConversionException(
          "'" + text + "' is no duration; write one such as 500ms, 15s or 2m");
    }
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }
}
