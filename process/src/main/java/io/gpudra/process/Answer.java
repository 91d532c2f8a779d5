package io.gpudra.process;

import com.google.common.collect.ImmutableList;

/**
 * What a page says.
 *
 * @param status of HTTP
 * @param type of the text, as in the header Content-Type
 */
public record Answer(int status, String type, String text) {

  private static final String TEXT = "text/plain; charset=utf-8";

  /** To a probe: 200 when there is no problem, 503 with all of them when there are. */
  public static Answer judged(ImmutableList<String> problems) {
    return problems.isEmpty() ? text(200, "ok") : text(503, String.join("\n", problems));
  }

  /** What a program reads. */
  public static Answer json(String json) {
    return new Answer(200, "application/json", json);
  }

  static Answer text(int status, String line) {
    return new Answer(status, TEXT, line + "\n");
  }
}
