package io.gpudra.controller.cli;

import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** On a terminal only, and not with {@code NO_COLOR}; the text itself is never read as markup. */
final class Colours {
  private Colours() {}

  /** What is wrong. */
  static String wrong(String text) {
    return with(Style.fg_red, text);
  }

  /** What helps. */
  static String good(String text) {
    return with(Style.fg_green, text);
  }

  /** What it is about. */
  static String head(String text) {
    return with(Style.bold, text);
  }

  private static String with(Style style, String text) {
    return Ansi.AUTO.enabled() ? style.on() + text + style.off() : text;
  }
}
