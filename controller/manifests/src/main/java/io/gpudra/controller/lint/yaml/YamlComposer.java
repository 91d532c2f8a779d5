package io.gpudra.controller.lint.yaml;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import io.gpudra.controller.lint.yaml.YamlDocuments.ParseProblem;
import io.gpudra.controller.lint.yaml.YamlDocuments.Piece;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/** Builds values from the parser events of one piece of a text. */
final class YamlComposer {

  /** Twice the depth of any kind that is checked. */
  static final int MAX_DEPTH = 50;

  private static final Pattern ESCAPED_SLASH = Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*+)\\\\/");
  private static final String MERGE = "<<";

  /** What the scanner says it reads when a colon is missing. */
  private static final String KEY = "while scanning a simple key";

  private static final String VALUE = "mapping values are not allowed here";

  private final ParserImpl parser;
  private final String text;
  private final Piece piece;
  private final ValueBudget budget;
  private final Map<String, LocatedValue> anchors = new HashMap<>();
  private final List<ParseProblem> doubles = new ArrayList<>();

  /** Where the last mark was, in code points and in UTF-16 units of the piece. */
  private int markIndex;

  private int markOffset;

  /** The end of the last value. */
  private int lastEnd;

  private int flowDepth;

  private @Nullable Mark lastScalar;

  /** The piece is not valid YAML, or exceeds a limit. */
  static final class NotReadable extends Exception {
    private static final long serialVersionUID = 1;

    private final transient ParseProblem parseProblem;

    NotReadable(TextPosition textPosition, String text) {
      super(
          text, /* cause= */ null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
      this.parseProblem = new ParseProblem(textPosition, text);
    }

    ParseProblem trouble() {
      return parseProblem;
    }
  }

  YamlComposer(Piece piece, ValueBudget budget) {
    String start = piece.text().stripLeading();
    boolean json = start.startsWith("{") || start.startsWith("[");
    this.text = json ? ofJson(piece.text()) : piece.text();
    this.piece = piece;
    this.budget = budget;
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE);
    this.parser = new ParserImpl(new StreamReader(text), options);
  }

  /** JSON allows tabs as whitespace and escaped slashes; YAML does not. */
  private static String ofJson(String text) {
    return ESCAPED_SLASH.matcher(text.replace('\t', ' ')).replaceAll("$1/");
  }

  ImmutableList<Document> documents() throws NotReadable {
    try {
      return compose();
    } catch (MarkedYAMLException e) {
      throw broken(place(e), e.getProblem());
    } catch (ReaderException e) {
      throw broken(place(e.getPosition()), "character U+%04X".formatted(e.getCodePoint()));
    } catch (RuntimeException e) {
      // An exception of the scanner means that the text is not valid YAML.
      throw broken(place(0), e.getMessage());
    }
  }

  private NotReadable broken(TextPosition textPosition, @Nullable String why) {
    return new NotReadable(textPosition, "not valid YAML: " + why);
  }

  private ImmutableList<Document> compose() throws NotReadable {
    ImmutableList.Builder<Document> documents = ImmutableList.builder();
    parser.getEvent();
    while (!parser.checkEvent(Event.ID.StreamEnd)) {
      parser.getEvent();
      anchors.clear();
      doubles.clear();
      documents.add(document(value(0)));
      parser.getEvent();
    }
    return documents.build();
  }

  private Document document(LocatedValue root) {
    int end = piece.start() + piece.text().length();
    TextSpan span = new TextSpan(piece.start(), root.span().start(), end, root.span().flow());
    boolean editable = anchors.isEmpty() && text.length() == piece.text().length();
    return new Document(root, ImmutableList.copyOf(doubles), span, editable);
  }

  private LocatedValue value(int depth) throws NotReadable {
    Event event = parser.getEvent();
    TextPosition textPosition = place(event.getStartMark());
    if (depth > MAX_DEPTH) {
      throw new NotReadable(textPosition, "nested more than %d deep".formatted(MAX_DEPTH));
    }
    if (event instanceof AliasEvent alias) {
      return repeated(alias, textPosition);
    }
    spend(1, textPosition);
    LocatedValue value = value(event, textPosition, depth);
    String anchor = ((NodeEvent) event).getAnchor();
    if (anchor != null) {
      anchors.put(anchor, value);
    }
    return value;
  }

  private LocatedValue value(Event event, TextPosition textPosition, int depth) throws NotReadable {
    if (event instanceof ScalarEvent scalar) {
      lastScalar = scalar.getStartMark();
      int at = offset(scalar.getStartMark());
      lastEnd = lastVisible(at, offset(scalar.getEndMark()));
      TextSpan span = new TextSpan(at, at, lastEnd, flowDepth > 0);
      return LocatedValue.scalar(YamlScalars.value(scalar), textPosition, span);
    }
    CollectionStartEvent start = (CollectionStartEvent) event;
    flowDepth += start.isFlow() ? 1 : 0;
    LocatedValue value =
        start instanceof SequenceStartEvent ? sequence(start, depth) : mapping(start, depth);
    flowDepth -= start.isFlow() ? 1 : 0;
    return value;
  }

  /** Block scalars end with their last line that is not blank. */
  private int lastVisible(int start, int end) {
    int last = end;
    while (last > start && text.charAt(last - 1 - piece.start()) <= ' ') {
      last--;
    }
    return last;
  }

  /** The span of a collection: to its closing bracket, else to the end of its last value. */
  private TextSpan closed(CollectionStartEvent start, int at) {
    Event end = parser.getEvent();
    lastEnd = start.isFlow() ? offset(end.getEndMark()) : lastEnd;
    return new TextSpan(at, at, lastEnd, start.isFlow());
  }

  /** Marks count code points; they mostly lie near the one before. */
  private int offset(Mark mark) {
    markOffset = text.offsetByCodePoints(markOffset, mark.getIndex() - markIndex);
    markIndex = mark.getIndex();
    return piece.start() + markOffset;
  }

  /** An anchor is registered when its value is complete, which prevents cycles. */
  private LocatedValue repeated(AliasEvent alias, TextPosition textPosition) throws NotReadable {
    LocatedValue value = anchors.get(alias.getAnchor());
    if (value == null) {
      throw broken(textPosition, "unknown alias \"%s\"".formatted(shortened(alias.getAnchor())));
    }
    spend(value.size(), textPosition);
    return value;
  }

  private void spend(int values, TextPosition textPosition) throws NotReadable {
    if (!budget.spend(values)) {
      throw new NotReadable(textPosition, budget.excess());
    }
  }

  private LocatedValue sequence(CollectionStartEvent start, int depth) throws NotReadable {
    int at = offset(start.getStartMark());
    List<LocatedValue> items = new ArrayList<>();
    while (!parser.checkEvent(Event.ID.SequenceEnd)) {
      items.add(value(depth + 1));
    }
    return LocatedValue.sequence(items, place(start.getStartMark()), closed(start, at));
  }

  private LocatedValue mapping(CollectionStartEvent start, int depth) throws NotReadable {
    int from = offset(start.getStartMark());
    Map<String, LocatedValue> fields = new LinkedHashMap<>();
    Map<String, LocatedValue> merged = new LinkedHashMap<>();
    while (!parser.checkEvent(Event.ID.MappingEnd)) {
      Event key = parser.getEvent();
      TextPosition at = place(key.getStartMark());
      if (!(key instanceof ScalarEvent name)) {
        throw broken(at, "a key that is not a string");
      }
      int begin = offset(name.getStartMark());
      LocatedValue field = value(depth + 1).named(at, begin);
      if (name.isPlain() && name.getValue().equals(MERGE)) {
        merge(field, merged);
      } else if (fields.put(name.getValue(), field) != null) {
        doubles.add(
            new ParseProblem(
                at, "key \"%s\" already set in map".formatted(shortened(name.getValue()))));
      }
    }
    TextSpan span = closed(start, from);
    merged.forEach(fields::putIfAbsent);
    return LocatedValue.mapping(fields, place(start.getStartMark()), span);
  }

  /** Merges one mapping, or several, of which the first takes precedence. */
  private static void merge(LocatedValue from, Map<String, LocatedValue> into) {
    from.fields().forEach(into::putIfAbsent);
    from.items().forEach(item -> item.fields().forEach(into::putIfAbsent));
  }

  private static String shortened(String name) {
    return ProblemList.shortened(name);
  }

  /** A key without a colon is where it begins: the problem is only seen lines later. */
  private TextPosition place(MarkedYAMLException broken) {
    Mark last = lastScalar;
    if (VALUE.equals(broken.getProblem()) && last != null && beginsLine(last)) {
      return place(last);
    }
    boolean key = KEY.equals(broken.getContext());
    Mark mark = key ? broken.getContextMark() : broken.getProblemMark();
    Mark known = mark == null ? broken.getContextMark() : mark;
    return known == null ? place(0) : place(known);
  }

  private boolean beginsLine(Mark mark) {
    int at = offset(mark) - piece.start();
    return text.substring(text.lastIndexOf('\n', at - 1) + 1, at).matches("[ -]*");
  }

  private TextPosition place(Mark mark) {
    return new TextPosition(piece.firstLine() + mark.getLine(), mark.getColumn() + 1);
  }

  /** Place of the code point at this position. */
  private TextPosition place(int position) {
    String before = text.substring(0, text.offsetByCodePoints(0, position));
    int lines = (int) before.chars().filter(c -> c == '\n').count();
    return new TextPosition(piece.firstLine() + lines, before.length() - before.lastIndexOf('\n'));
  }
}
