package io.gpudra.controller.cli;

import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/** Colors only on a terminal, and not with {@code NO_COLOR}. The text is never parsed as markup. */
final class TerminalColours {
  private TerminalColours() {}

  /** A problem. */
  static String wrong(String text) {
    return with(Style.fg_red, text);
  }

  /** A heading. */
  static String head(String text) {
    return with(Style.bold, text);
  }

  private static String with(Style style, String text) {
    return Ansi.AUTO.enabled() ? style.on() + text + style.off() : text;
  }
}
