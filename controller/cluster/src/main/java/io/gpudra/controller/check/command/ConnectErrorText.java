package io.gpudra.controller.check.command;

import com.google.common.base.Strings;
import io.gpudra.controller.client.watch.RefusedException;
import java.io.IOException;
import java.net.UnknownHostException;

/** Explains why the API server did not answer. */
public final class ConnectErrorText {
  private static final int NOT_KNOWN = 401;
  private static final int NOT_ALLOWED = 403;

  private ConnectErrorText() {}

  /** The reason in one line. */
  public static String why(IOException e) {
    if (e instanceof RefusedException refused) {
      return TerminalText.line(e.getMessage() + reason(refused.code()));
    }
    if (e instanceof UnknownHostException) {
      return TerminalText.line("unknown host " + e.getMessage());
    }
    String said = Strings.nullToEmpty(e.getMessage());
    return TerminalText.line(said.isBlank() ? e.toString() : said);
  }

  private static String reason(int code) {
    return switch (code) {
      case NOT_KNOWN -> ": not authenticated";
      case NOT_ALLOWED -> ": the right to read it is missing";
      default -> "";
    };
  }
}
