package io.gpudra.controller.check.command;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;

/**
 * Makes text from the cluster safe to print: names of objects could contain control sequences for a
 * terminal.
 */
public final class TerminalText {
  private static final int MAX_CHARACTERS = 4_096;

  /** Control characters, and characters that change the text direction. */
  private static final CharMatcher UNSAFE =
      CharMatcher.javaIsoControl()
          .or(CharMatcher.inRange('\u200b', '\u200f'))
          .or(CharMatcher.inRange('\u2028', '\u202e'))
          .or(CharMatcher.inRange('\u2060', '\u2069'))
          .or(CharMatcher.is('\ufeff'));

  private TerminalText() {}

  /** The text as one line. */
  public static String line(String text) {
    return Ascii.truncate(UNSAFE.replaceFrom(text, ' '), MAX_CHARACTERS, "…");
  }

  /** The text with its line breaks. */
  public static String lines(String text) {
    return UNSAFE.and(CharMatcher.isNot('\n')).replaceFrom(text, ' ');
  }
}
