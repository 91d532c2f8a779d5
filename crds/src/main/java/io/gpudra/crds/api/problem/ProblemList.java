package io.gpudra.crds.api.problem;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.MemorySize;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects the problems of an object, in the words of the API server (api.md 3). */
public final class ProblemList {

  private static final int MAX_CEL_CHARACTERS = 4096;

  /**
   * The maximum number of problems. Longer lists are of no use to readers, and thousands of
   * problems could fill the memory.
   */
  private static final int MAX_REPORTED = 32;

  private final List<String> found = new ArrayList<>();
  private int unreported;
  private boolean conflictsOnly = true;

  /** A sentence for each problem, with its path. */
  public ImmutableList<String> found() {
    return unreported == 0
        ? ImmutableList.copyOf(found)
        : ImmutableList.<String>builder().addAll(found).add("and " + unreported + " more").build();
  }

  /** Whether all values are valid by themselves, and only their combinations are not. */
  public boolean areConflicts() {
    return conflictsOnly;
  }

  /** Reports a missing value. */
  public void required(String path) {
    add(path, "Required value");
  }

  /** Reports another problem of a value. */
  public void add(String path, String problem) {
    add(path + ": " + problem);
  }

  /** Reports a value with a hint. */
  public void addInvalid(String path, String value, String hint) {
    add(path, "Invalid value: \"%s\": %s".formatted(shortened(value), hint));
  }

  /** Adds a problem of a value below, as a sentence that begins with its key. */
  public void addBelow(String path, String problem) {
    add(path + "." + problem);
  }

  /** Adds a sentence that is about no field in particular. */
  public void add(String problem) {
    conflictsOnly = false;
    note(problem);
  }

  private void note(String problem) {
    if (found.size() < MAX_REPORTED) {
      found.add(problem);
    } else {
      unreported++;
    }
  }

  /** Reports all rules that the value breaks. */
  public <T> void checkRules(String path, T value, Collection<FieldRule<T>> rules) {
    for (FieldRule<T> rule : rules) {
      if (rule.broken().test(value)) {
        note(path + ": Invalid value: \"object\": " + rule.text());
      }
    }
  }

  /** Checks a number; an absent value is valid. */
  public void checkRange(String path, @Nullable Integer value, int least, int most) {
    checkRange(path, value == null ? null : Long.valueOf(value), least, (long) most);
  }

  /** Checks a number; an absent value is valid. */
  public void checkRange(String path, @Nullable Long value, long least, long most) {
    if (value != null && value < least) {
      add(path, bound(path, value) + "greater than or equal to " + least);
    } else if (value != null && value > most) {
      add(path, bound(path, value) + "less than or equal to " + most);
    }
  }

  private static String bound(String path, long value) {
    return "Invalid value: %d: %s in body should be ".formatted(value, path);
  }

  /** Checks a size; an absent value is valid. */
  public void checkSize(String path, @Nullable String value) {
    if (value != null && MemorySize.parse(value).isEmpty()) {
      addInvalid(path, value, MemorySize.HINT);
    }
  }

  /** Checks a condition; an absent value is valid. */
  public void checkCel(String path, @Nullable String value) {
    checkLength(path, value, MAX_CEL_CHARACTERS);
  }

  /** Checks a length; an absent value is valid. */
  public void checkLength(String path, @Nullable String value, int most) {
    if (value != null && value.isEmpty()) {
      add(path, "Invalid value: \"\": %s in body should be at least 1 chars long".formatted(path));
    } else {
      checkMost(path, value, most);
    }
  }

  /** Checks the maximum length; absent and empty values are valid. */
  public void checkMost(String path, @Nullable String value, int most) {
    if (value != null && value.codePointCount(0, value.length()) > most) {
      add(path, "Too long: may not be longer than " + most);
    }
  }

  /**
   * Checks a pattern; an absent value is valid. The length comes first: a pattern may need as much
   * stack as the text is long.
   */
  public void checkPattern(String path, @Nullable String value, Pattern pattern, int most) {
    checkLength(path, value, most);
    if (value != null
        && !value.isEmpty()
        && value.length() <= most
        && !pattern.matcher(value).matches()) {
      add(
          path,
          "Invalid value: \"%s\": %s in body should match '^%s$'".formatted(value, path, pattern));
    }
  }

  /** Reports a value that is missing, or none of the allowed ones. */
  public void checkOneOf(String path, @Nullable String value, Collection<String> allowed) {
    if (value == null) {
      required(path);
    } else {
      checkChoice(path, value, allowed);
    }
  }

  /** Checks a choice; an absent value is valid. */
  public void checkChoice(String path, @Nullable String value, Collection<String> allowed) {
    if (value != null && !allowed.contains(value)) {
      add(
          path,
          "Unsupported value: \"%s\": %s"
              .formatted(shortened(value), NameSuggestion.listed(allowed)));
    }
  }

  /** Checks the number of items, at least one. */
  public void checkItems(String path, @Nullable List<?> items, int most) {
    checkItems(path, items, 1, most);
  }

  /** Checks the number of items; an absent list is valid. */
  public void checkItems(String path, @Nullable List<?> items, int least, int most) {
    if (items != null && items.size() < least) {
      add(
          path,
          "Invalid value: %d: %s in body should have at least %d items"
              .formatted(items.size(), path, least));
    } else if (items != null) {
      checkAtMost(path, items.size(), most);
    }
  }

  /** Checks the number of entries of a list or map. */
  public void checkAtMost(String path, int entries, int most) {
    if (entries > most) {
      add(path, "Too many: %d: must have at most %d items".formatted(entries, most));
    }
  }

  /** Checks a set of at least one of the allowed values; an absent set is valid. */
  public void checkSet(String path, @Nullable List<String> items, List<String> allowed, int most) {
    checkItems(path, items, most);
    for (int i = 0; items != null && i < Math.min(items.size(), most); i++) {
      String at = "%s[%d]".formatted(path, i);
      checkOneOf(at, items.get(i), allowed);
      if (items.subList(0, i).contains(items.get(i))) {
        add(at, "Duplicate value: \"%s\"".formatted(shortened(items.get(i))));
      }
    }
  }

  /** The text, if it is present and not empty; reports a problem otherwise. */
  public Optional<String> text(String path, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      required(path);
      return Optional.empty();
    }
    return Optional.of(value);
  }

  /** Shortens untrusted text, so that events and logs stay readable. */
  public static String shortened(String value) {
    return value.length() <= 64 ? value : value.substring(0, 64) + "…";
  }
}
