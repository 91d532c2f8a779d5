package io.gpudra.scenarios.reference;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** Markdown, as the pages of the reference have it. */
final class Markdown {

  private Markdown() {}

  /** A page that is written by a test. */
  static String page(String title, String intro, String body) {
    return """
    # %s

    <!-- Written by ReferencePagesTest of hack/scenarios, do not edit: CONTRIBUTING.md says how it is updated. -->

    %s

    %s
    """
        .formatted(title, intro.strip(), body.strip());
  }

  static String table(List<String> head, Collection<List<String>> rows) {
    return row(head)
        + "|"
        + String.join("|", Collections.nCopies(head.size(), "---"))
        + "|\n"
        + rows.stream().map(Markdown::row).collect(Collectors.joining())
        + "\n";
  }

  private static String row(List<String> cells) {
    return cells.stream().map(Markdown::cell).collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  private static String cell(String text) {
    return text.strip().replaceAll("\\s+", " ").replace("|", "\\|");
  }

  /** As it is written in a program, if there is any. A pattern may look like a link. */
  static String code(String text) {
    if (text.contains("](")) {
      return "<code>" + text.replace("](", "&#93;(") + "</code>";
    }
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  static String codes(Collection<String> texts) {
    return texts.stream().map(Markdown::code).collect(Collectors.joining(", "));
  }

  /** For people, who would not see what is taken for a tag. */
  static String prose(String text) {
    return text.replace("<", "\\<");
  }
}
