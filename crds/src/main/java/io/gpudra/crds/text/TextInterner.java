package io.gpudra.crds.text;

import com.google.common.annotations.VisibleForTesting;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one copy of texts that occur often. The 10,000 scheduling contexts of a big cluster have
 * two and a half million names of nodes, of which 5,000 differ; each is in a dozen claims, too.
 * Usable from any thread.
 */
public final class TextInterner {
  private static final int REMEMBERED = 1 << 16;
  private static final int MAX_CHARACTERS = 64;
  private static final TextInterner OF_THE_PROCESS = new TextInterner();

  // Plain arrays: with atomic ones the lists of a big cluster take a sixth longer to read. A text
  // never changes, and a thread that misses what another one has just written keeps one more text.
  private final @Nullable String[] recent = new String[REMEMBERED];

  /**
   * Places whose text came again. The first other text does not replace such a text, as most come
   * once.
   */
  private final boolean[] cameAgain = new boolean[REMEMBERED];

  @VisibleForTesting
  TextInterner() {}

  /** An equal text; the same object for equal texts that come often. */
  public static String same(String text) {
    return OF_THE_PROCESS.remembered(text);
  }

  @VisibleForTesting
  String remembered(String text) {
    if (text.length() > MAX_CHARACTERS) {
      return text;
    }
    int hash = text.hashCode();
    int place = (hash ^ hash >>> 16) & (REMEMBERED - 1);
    String known = recent[place];
    if (text.equals(known)) {
      cameAgain[place] = true;
      return known;
    }
    if (cameAgain[place]) {
      cameAgain[place] = false;
    } else {
      recent[place] = text;
    }
    return text;
  }
}
