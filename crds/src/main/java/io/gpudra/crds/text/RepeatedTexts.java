package io.gpudra.crds.text;

import com.google.common.annotations.VisibleForTesting;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Keeps texts that come again and again once. In 10,000 scheduling contexts of a big cluster are
 * two and a half million names of nodes, and 5,000 different ones; each is in a dozen claims, too.
 * Usable from any thread.
 */
public final class RepeatedTexts {
  private static final int REMEMBERED = 1 << 16;
  private static final int LONGEST = 64;
  private static final RepeatedTexts OF_THE_PROCESS = new RepeatedTexts();

  private final AtomicReferenceArray<String> recent = new AtomicReferenceArray<>(REMEMBERED);

  /** Places whose text came again: the first other one does not take them, as most come once. */
  private final AtomicIntegerArray cameAgain = new AtomicIntegerArray(REMEMBERED / Integer.SIZE);

  @VisibleForTesting
  RepeatedTexts() {}

  /** An equal text; the same for equal ones, if they come often. */
  public static String same(String text) {
    return OF_THE_PROCESS.remembered(text);
  }

  @VisibleForTesting
  String remembered(String text) {
    if (text.length() > LONGEST) {
      return text;
    }
    int hash = text.hashCode();
    int place = (hash ^ hash >>> 16) & (REMEMBERED - 1);
    int bit = 1 << place;
    int flags = cameAgain.get(place / Integer.SIZE);
    String known = recent.get(place);
    if (text.equals(known)) {
      if ((flags & bit) == 0) {
        cameAgain.lazySet(place / Integer.SIZE, flags | bit);
      }
      return known;
    }
    if ((flags & bit) == 0) {
      recent.set(place, text);
    } else {
      cameAgain.lazySet(place / Integer.SIZE, flags & ~bit);
    }
    return text;
  }
}
