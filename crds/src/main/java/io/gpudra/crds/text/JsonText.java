package io.gpudra.crds.text;

import java.util.regex.Pattern;

/** JSON that is safe to show on a terminal. */
public final class JsonText {

  /** Control characters of terminals that need not be escaped in JSON (RFC 8259, 7). */
  private static final Pattern CONTROLS = Pattern.compile("[\\x7f-\\x9f]");

  private JsonText() {}

  /** The same value. Only strings have such characters: elsewhere they are invalid JSON. */
  public static String plain(String json) {
    return CONTROLS
        .matcher(json)
        .replaceAll(found -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
  }
}
