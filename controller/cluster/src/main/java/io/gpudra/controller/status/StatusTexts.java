package io.gpudra.controller.status;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collection;

/** Texts for the status: of bounded length, and unchanged when they are read again. */
final class StatusTexts {
  private static final String CUT = "…";

  private StatusTexts() {}

  /** Truncates a longer text; half a character would be read back as another one. */
  static String bounded(String text, int most) {
    String shown = text.length() <= most ? text : text.substring(0, most - CUT.length()) + CUT;
    return new String(shown.getBytes(UTF_8), UTF_8);
  }

  /** One line for each text. */
  static String lines(Collection<String> texts, int most) {
    return bounded(String.join("\n", texts), most);
  }

  /** One line without control characters for terminals. */
  static String line(String text, int most) {
    return bounded(text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip(), most);
  }
}
