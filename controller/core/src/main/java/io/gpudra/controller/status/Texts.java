package io.gpudra.controller.status;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collection;

/** Texts as they are stored: of bounded length, and the same when they are read again. */
final class Texts {
  private static final String CUT = "…";

  private Texts() {}

  /** Cut off where it is longer; half a character would come back as another one. */
  static String bounded(String text, int most) {
    String shown = text.length() <= most ? text : text.substring(0, most - CUT.length()) + CUT;
    return new String(shown.getBytes(UTF_8), UTF_8);
  }

  /** Each on a line of its own. */
  static String lines(Collection<String> texts, int most) {
    return bounded(String.join("\n", texts), most);
  }

  /** On one line, without what a terminal would act on. */
  static String line(String text, int most) {
    return bounded(text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip(), most);
  }
}
