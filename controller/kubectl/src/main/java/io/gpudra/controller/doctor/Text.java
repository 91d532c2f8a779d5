package io.gpudra.controller.doctor;

import java.util.Collection;
import java.util.stream.Collectors;

/** Lists in sentences. */
final class Text {
  private static final int MOST = 8;

  private Text() {}

  /** The first few, and how many more there are. */
  static String listed(Collection<String> texts) {
    String first = texts.stream().limit(MOST).collect(Collectors.joining(", "));
    return texts.size() <= MOST ? first : first + " and " + (texts.size() - MOST) + " more";
  }
}
