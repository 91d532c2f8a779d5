package io.gpudra.crds.wire;

import com.google.common.collect.Iterables;
import io.gpudra.crds.model.MemorySize;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks values of entries; an invalid value is an {@link IllegalArgumentException} that names the
 * key.
 */
public final class EntryValues {

  /** The limit exceeds that of any GPU; sums stay small. */
  private static final int MAX_SLICES = 64;

  private static final int MAX_SHOWN_CHARACTERS = 64;

  private EntryValues() {}

  /** A value that must be there; a text must not be empty. */
  public static <T> T required(String key, @Nullable T value) {
    if (value == null || value.equals("")) {
      throw new IllegalArgumentException(key + ": Required value");
    }
    return value;
  }

  /** A number within these bounds. */
  public static int range(String key, int value, int least, int most) {
    if (value < least || value > most) {
      throw invalid(key, String.valueOf(value), "must be %d to %d".formatted(least, most));
    }
    return value;
  }

  static int slices(String key, @Nullable Integer value, int least) {
    return range(key, required(key, value), least, MAX_SLICES);
  }

  /** The start and the length of a range. */
  static List<Integer> extent(String key, @Nullable List<Integer> pair) {
    if (pair == null || pair.size() != 2 || Iterables.contains(pair, null)) {
      throw invalid(key, String.valueOf(pair), "must be two numbers, start and size");
    }
    int start = slices(key, pair.get(0), 0);
    int size = slices(key, pair.get(1), 1);
    slices(key, start + size, 1);
    return pair;
  }

  static long bytes(String key, String size) {
    long bytes =
        MemorySize.parse(size)
            .map(MemorySize::exactBytes)
            .filter(some -> some > 0)
            .orElseThrow(() -> invalid(key, size, MemorySize.HINT));
    if (bytes > MemorySize.MAX_BYTES) {
      throw invalid(key, size, "must be at most " + MemorySize.exactText(MemorySize.MAX_BYTES));
    }
    return bytes;
  }

  static IllegalArgumentException unsupported(String key, String value, String allowed) {
    return new IllegalArgumentException(
        "%s: Unsupported value: \"%s\": supported values: %s"
            .formatted(key, shortened(value), allowed));
  }

  private static IllegalArgumentException invalid(String key, String value, String rule) {
    return new IllegalArgumentException(
        "%s: Invalid value: %s: %s".formatted(key, shortened(value), rule));
  }

  private static String shortened(String value) {
    return value.length() <= MAX_SHOWN_CHARACTERS
        ? value
        : value.substring(0, MAX_SHOWN_CHARACTERS) + "…";
  }
}
