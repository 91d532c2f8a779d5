package io.gpudra.controller.doctor;

import java.util.Collection;
import java.util.stream.Collectors;

/** Lists in sentences. */
final class ListText {
  private static final int MAX = 8;

  private ListText() {}

  /** The first few texts, and the number of the others. */
  static String listed(Collection<String> texts) {
    String first = texts.stream().limit(MAX).collect(Collectors.joining(", "));
    return texts.size() <= MAX ? first : first + " and " + (texts.size() - MAX) + " more";
  }
}
