package io.gpudra.controller.lint.yaml;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The documents of a YAML or JSON text. Like kubectl, it first splits the text at {@code ---}
 * lines, so that an invalid document does not hide the others.
 *
 * @param broken the reasons why documents could not be read
 */
public record YamlDocuments(ImmutableList<Document> documents, ImmutableList<ParseProblem> broken) {

  /** The limit is far above that of a usual manifest. */
  static final int MAX_DOCUMENTS = 5_000;

  private static final String TOO_MANY = "more than %d documents".formatted(MAX_DOCUMENTS);

  private static final Pattern SEPARATOR =
      Pattern.compile("^---(?=[ \\t\\r\\n]|\\z)", Pattern.MULTILINE);

  /**
   * A document that could be read.
   *
   * @param doubles names that occur twice in one mapping
   * @param span from its separator to the next one
   * @param editable whether {@link TextEdits} may change its values; not with anchors, and not in
   *     JSON with escaped slashes
   */
  public record Document(
      LocatedValue root, ImmutableList<ParseProblem> doubles, TextSpan span, boolean editable) {}

  /** A problem and its place. */
  public record ParseProblem(TextPosition textPosition, String text) {}

  /** Reads a text. */
  public static YamlDocuments of(String text) {
    return of(text, new ValueBudget());
  }

  /**
   * Reads one of several texts.
   *
   * @param budget of all texts
   */
  public static YamlDocuments of(String text, ValueBudget budget) {
    ImmutableList.Builder<Document> documents = ImmutableList.builder();
    ImmutableList.Builder<ParseProblem> broken = ImmutableList.builder();
    budget.nextText();
    List<Piece> pieces = pieces(text);
    for (Piece piece : pieces.subList(0, Math.min(pieces.size(), MAX_DOCUMENTS))) {
      try {
        documents.addAll(new YamlComposer(piece, budget).documents());
      } catch (YamlComposer.NotReadable e) {
        broken.add(e.trouble());
      }
    }
    pieces.stream()
        .skip(MAX_DOCUMENTS)
        .map(piece -> new TextPosition(piece.firstLine(), 1))
        .forEach(textPosition -> broken.add(new ParseProblem(textPosition, TOO_MANY)));
    return new YamlDocuments(documents.build(), broken.build());
  }

  /**
   * The text of one document, with its separator.
   *
   * @param start in the whole text
   */
  record Piece(String text, int start, int firstLine) {}

  private static List<Piece> pieces(String text) {
    List<Piece> pieces = new ArrayList<>();
    Matcher separator = SEPARATOR.matcher(text);
    int start = 0;
    int line = 1;
    while (separator.find() && pieces.size() <= MAX_DOCUMENTS) {
      line = add(pieces, new Piece(text.substring(start, separator.start()), start, line));
      start = separator.start();
    }
    if (pieces.size() <= MAX_DOCUMENTS) {
      add(pieces, new Piece(text.substring(start), start, line));
    }
    return pieces;
  }

  /** Returns the line after the piece. */
  private static int add(List<Piece> pieces, Piece piece) {
    if (!piece.text().isBlank()) {
      pieces.add(piece);
    }
    return piece.firstLine() + (int) piece.text().chars().filter(c -> c == '\n').count();
  }
}
