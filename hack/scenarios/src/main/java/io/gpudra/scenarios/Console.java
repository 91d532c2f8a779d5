package io.gpudra.scenarios;

import io.gpudra.scenarios.run.Progress;
import java.io.PrintStream;

/**
 * What people see: plain lines, and on a terminal one more line that says what is being done now.
 */
final class Console implements Progress {
  private static final String CLEAR_LINE = "\r\033[K";
  private static final int WIDTH = 76;

  private final PrintStream out;
  private final boolean live;

  Console(PrintStream out, boolean live) {
    this.out = out;
    this.live = live;
  }

  @Override
  public synchronized void doing(String what) {
    if (live) {
      String shown = what.length() > WIDTH ? what.substring(0, WIDTH) + "…" : what;
      out.print(CLEAR_LINE + "… " + shown);
      out.flush();
    }
  }

  synchronized void line(String text) {
    out.println((live ? CLEAR_LINE : "") + text);
    out.flush();
  }
}
