package io.gpudra.crds.api;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.MemorySize;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with an object, in the words of the API server (api.md 3). */
final class Problems {

  private static final int MOST_CEL_CHARACTERS = 4096;

  private final ImmutableList.Builder<String> found = ImmutableList.builder();

  ImmutableList<String> found() {
    return found.build();
  }

  void required(String path) {
    found.add(path + ": Required value");
  }

  void add(String path, String problem) {
    found.add(path + ": " + problem);
  }

  /** An absent value is fine. */
  void checkRange(String path, @Nullable Integer value, int least, int most) {
    if (value != null && value < least) {
      add(path, bound(path, value) + "greater than or equal to " + least);
    } else if (value != null && value > most) {
      add(path, bound(path, value) + "less than or equal to " + most);
    }
  }

  private static String bound(String path, int value) {
    return "Invalid value: %d: %s in body should be ".formatted(value, path);
  }

  /** An absent value is fine. */
  void checkSize(String path, @Nullable String value) {
    if (value != null && MemorySize.parse(value).isEmpty()) {
      add(path, "Invalid value: \"%s\": %s".formatted(shortened(value), MemorySize.HINT));
    }
  }

  /** An absent value is fine. */
  void checkCel(String path, @Nullable String value) {
    checkLength(path, value, MOST_CEL_CHARACTERS);
  }

  /** An absent value is fine. */
  void checkLength(String path, @Nullable String value, int most) {
    if (value != null && value.isEmpty()) {
      add(path, "Invalid value: \"\": %s in body should be at least 1 chars long".formatted(path));
    } else if (value != null && value.codePointCount(0, value.length()) > most) {
      add(path, "Too long: may not be longer than " + most);
    }
  }

  void checkOneOf(String path, @Nullable String value, Collection<String> allowed) {
    if (value == null) {
      required(path);
    } else if (!allowed.contains(value)) {
      add(
          path,
          "Unsupported value: \"%s\": %s".formatted(shortened(value), Suggestion.listed(allowed)));
    }
  }

  void checkItems(String path, @Nullable List<?> items, int most) {
    if (items != null && items.isEmpty()) {
      add(path, "Invalid value: 0: %s in body should have at least 1 items".formatted(path));
    } else if (items != null && items.size() > most) {
      add(path, "Too many: %d: must have at most %d items".formatted(items.size(), most));
    }
  }

  /** Present and not empty, or a problem. */
  Optional<String> text(String path, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      required(path);
      return Optional.empty();
    }
    return Optional.of(value);
  }

  /** Text of strangers in events and logs stays readable. */
  static String shortened(String value) {
    return value.length() <= 64 ? value : value.substring(0, 64) + "…";
  }
}
