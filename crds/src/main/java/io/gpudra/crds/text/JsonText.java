package io.gpudra.crds.text;

import java.util.regex.Pattern;

/** JSON as it may be shown on a terminal. */
public final class JsonText {

  /** Those that a terminal obeys, and that need not be escaped in JSON (RFC 8259, 7). */
  private static final Pattern CONTROLS = Pattern.compile("[\\x7f-\\x9f]");

  private JsonText() {}

  /** The same value. Only strings have such characters: elsewhere they would be no JSON. */
  public static String plain(String json) {
    return CONTROLS
        .matcher(json)
        .replaceAll(found -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
  }
}
