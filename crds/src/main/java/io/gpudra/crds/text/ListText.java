package io.gpudra.crds.text;

import java.util.Collection;
import java.util.stream.Collectors;

/** Lists in sentences. */
public final class ListText {
  private static final int MAX = 8;

  private ListText() {}

  /** The first few texts, and the number of the others. */
  public static String of(Collection<String> texts) {
    return of(texts, MAX);
  }

  /** At most so many of the texts, and the number of the others. */
  public static String of(Collection<String> texts, int most) {
    String first = texts.stream().limit(most).collect(Collectors.joining(", "));
    return texts.size() <= most ? first : first + " and " + (texts.size() - most) + " more";
  }
}
