package io.gpudra.controller.lint.object;

/**
 * A problem of an object.
 *
 * @param path of the field, or of the nearest enclosing field; empty for the whole object
 * @param text the message, which mostly begins with the path
 */
public record ObjectProblem(String path, String text) {

  /** A problem of a field. */
  public static ObjectProblem at(String path, String problem) {
    return new ObjectProblem(path, path + ": " + problem);
  }

  /** A message that begins with its path, if it is about a field. */
  public static ObjectProblem of(String sentence) {
    int end = sentence.indexOf(": ");
    String path = end < 0 ? "" : sentence.substring(0, end);
    boolean sentenceFirst = path.contains(" ") || path.contains("\"");
    return new ObjectProblem(sentenceFirst ? "" : path, sentence);
  }

  /** The same problem of an object that stands in another one, at this path. */
  public ObjectProblem below(String outer) {
    return path.isEmpty()
        ? new ObjectProblem(outer, text)
        : new ObjectProblem(outer + "." + path, outer + "." + text);
  }
}
