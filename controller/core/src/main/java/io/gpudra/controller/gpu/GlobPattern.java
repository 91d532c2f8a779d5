package io.gpudra.controller.gpu;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.Locale;

/**
 * A pattern for whole names: {@code *} stands for any characters, case is ignored. Matches from
 * left to right without going back, so no pattern is slow.
 */
record GlobPattern(String pattern) {

  boolean matches(String name) {
    String rest = name.toLowerCase(Locale.ROOT);
    List<String> parts = Splitter.on('*').splitToList(pattern.toLowerCase(Locale.ROOT));
    if (parts.size() == 1) {
      return rest.equals(parts.get(0));
    }
    String last = parts.get(parts.size() - 1);
    int from = parts.get(0).length();
    if (!rest.startsWith(parts.get(0))) {
      return false;
    }
    for (String part : parts.subList(1, parts.size() - 1)) {
      int at = rest.indexOf(part, from);
      if (at < 0) {
        return false;
      }
      from = at + part.length();
    }
    return rest.length() - last.length() >= from && rest.endsWith(last);
  }
}
