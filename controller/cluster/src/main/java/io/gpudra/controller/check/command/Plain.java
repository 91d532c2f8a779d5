package io.gpudra.controller.check.command;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;

/**
 * Text of the cluster that is safe to print: whoever can name an object could else steer a
 * terminal.
 */
public final class Plain {
  private static final int LONGEST = 4_096;

  /** Control characters, and those that change the direction of what follows. */
  private static final CharMatcher UNSAFE =
      CharMatcher.javaIsoControl()
          .or(CharMatcher.inRange('\u200b', '\u200f'))
          .or(CharMatcher.inRange('\u2028', '\u202e'))
          .or(CharMatcher.inRange('\u2060', '\u2069'))
          .or(CharMatcher.is('\ufeff'));

  private Plain() {}

  /** In one line. */
  public static String line(String text) {
    return Ascii.truncate(UNSAFE.replaceFrom(text, ' '), LONGEST, "…");
  }

  /** In as many lines as it has. */
  public static String lines(String text) {
    return UNSAFE.and(CharMatcher.isNot('\n')).replaceFrom(text, ' ');
  }
}
