package io.gpudra.controller.lint.object;

/**
 * A problem of an object.
 *
 * @param path of the field, or of the nearest enclosing field; empty for the whole object
 * @param text the message, which mostly begins with the path
 */
public record Told(String path, String text) {

  /** A problem of a field. */
  public static Told at(String path, String problem) {
    return new Told(path, path + ": " + problem);
  }

  /** A message that begins with its path, if it is about a field. */
  public static Told of(String sentence) {
    int end = sentence.indexOf(": ");
    String path = end < 0 ? "" : sentence.substring(0, end);
    boolean sentenceFirst = path.contains(" ") || path.contains("\"");
    return new Told(sentenceFirst ? "" : path, sentence);
  }

  /** The same of an object that stands in another, at this path. */
  public Told below(String outer) {
    return path.isEmpty()
        ? new Told(outer, text)
        : new Told(outer + "." + path, outer + "." + text);
  }
}
