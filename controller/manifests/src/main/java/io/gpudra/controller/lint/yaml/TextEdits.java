package io.gpudra.controller.lint.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Changes of a text at the places of its values. All other characters stay, and each value is
 * changed once at most.
 */
public final class TextEdits {
  private static final int INDENT = 2;

  private final String text;
  private final boolean json;
  private final List<Splice> splices = new ArrayList<>();

  /** Of several insertions at one place, the deepest belongs to the value that ends there first. */
  private record Splice(int start, int end, String instead, int column) {
    static final Comparator<Splice> IN_ORDER =
        Comparator.comparingInt(Splice::start)
            .thenComparingInt(Splice::end)
            .thenComparing(Splice::column, Comparator.reverseOrder());
  }

  /** Changes of this text. */
  public TextEdits(String text) {
    this.text = text;
    this.json = text.stripLeading().startsWith("{") || text.stripLeading().startsWith("[");
  }

  /** Replaces a value and keeps its name. */
  public void replaceValue(LocatedValue at, JsonNode value) {
    TextSpan span = at.span();
    if (span.flow() || !value.isContainerNode()) {
      splice(span.valueStart(), span.end(), flow(value));
    } else if (span.isField()) {
      int column = column(span.start()) + INDENT;
      String lines = "\n" + " ".repeat(column) + YamlPrinter.block(value, column);
      splice(back(span.valueStart()), span.end(), lines);
    } else {
      splice(span.start(), span.end(), YamlPrinter.block(value, column(span.start())));
    }
  }

  /** Replaces a field by none, one or several; a mapping keeps one field at least. */
  public void replaceField(LocatedValue parent, String name, ObjectNode instead) {
    List<TextSpan> all = parent.fields().values().stream().map(LocatedValue::span).toList();
    int index = ImmutableList.copyOf(parent.fields().keySet()).indexOf(name);
    TextSpan field = all.get(index);
    if (instead.isEmpty()) {
      remove(parent, all, index);
    } else if (parent.span().flow()) {
      splice(field.start(), field.end(), inBrackets(instead));
    } else {
      String lines = YamlPrinter.block(instead, column(field.start()));
      splice(field.start(), field.end(), lines);
    }
  }

  /** Gives a field of a mapping this value, whether the field was there or not. */
  public void setField(LocatedValue parent, String name, JsonNode value) {
    parent
        .field(name)
        .ifPresentOrElse(at -> replaceValue(at, value), () -> addField(parent, name, value));
  }

  /** Adds a field behind the others of a mapping. */
  public void addField(LocatedValue parent, String name, JsonNode value) {
    ObjectNode field = JsonNodeFactory.instance.objectNode().set(name, value);
    TextSpan span = parent.span();
    if (span.flow()) {
      int end = back(span.end() - 1);
      splice(end, end, (parent.fields().isEmpty() ? "" : ", ") + inBrackets(field));
    } else {
      int column = column(span.valueStart());
      int end = lineEnd(span.end());
      String lines = "\n" + " ".repeat(column) + YamlPrinter.block(field, column);
      splices.add(new Splice(end, end, lines, column));
    }
  }

  /** Replaces an item by none, one or several; a list keeps one item at least. */
  public void replaceItem(LocatedValue list, int index, ArrayNode instead) {
    List<TextSpan> all = list.items().stream().map(LocatedValue::span).toList();
    if (instead.isEmpty()) {
      remove(list, all, index);
    } else if (list.span().flow()) {
      splice(all.get(index).start(), all.get(index).end(), inBrackets(instead));
    } else {
      int column = column(list.span().valueStart());
      splice(dash(list, all.get(index)), all.get(index).end(), YamlPrinter.block(instead, column));
    }
  }

  /** Puts other text in the place of a document, between its separators. */
  public void replaceDocument(Document document, String yaml) {
    splice(start(document), lineEnd(document.root().span().end()), yaml.stripTrailing());
  }

  /** The lines of a document between its separators. */
  public String document(Document document) {
    return text.substring(start(document), lineEnd(document.root().span().end()));
  }

  /** Adds a document before another. */
  public void insertBefore(Document document, String yaml) {
    int at = document.span().start();
    boolean separated = text.startsWith("---", at);
    String lines = yaml.stripTrailing() + "\n";
    splice(at, at, separated ? "---\n" + lines : lines + "---\n");
  }

  /** Adds a document behind another. */
  public void insertAfter(Document document, String yaml) {
    int at = document.span().end();
    boolean ended = at == 0 || text.charAt(at - 1) == '\n';
    splice(at, at, (ended ? "" : "\n") + "---\n" + yaml.stripTrailing() + "\n");
  }

  /** Whether nothing changes. */
  public boolean isEmpty() {
    return splices.isEmpty();
  }

  /** The text with all changes. */
  public String result() {
    String lineEnd = text.indexOf('\r') == text.indexOf('\n') - 1 ? "\r\n" : "\n";
    StringBuilder result = new StringBuilder();
    int end = 0;
    for (Splice splice : splices.stream().sorted(Splice.IN_ORDER).toList()) {
      if (splice.start() < end) {
        throw new IllegalStateException("two changes of one place: " + splice);
      }
      result
          .append(text.substring(end, splice.start()))
          .append(splice.instead().replace("\n", lineEnd));
      end = splice.end();
    }
    return result.append(text.substring(end)).toString();
  }

  /** In brackets up to the next sibling; else whole lines, with the line end before them. */
  private void remove(LocatedValue parent, List<TextSpan> siblings, int index) {
    TextSpan gone = siblings.get(index);
    int start =
        parent.value().isArray() && !parent.span().flow() ? dash(parent, gone) : gone.start();
    if (parent.span().flow()) {
      boolean last = index + 1 == siblings.size();
      splice(
          last && index > 0 ? siblings.get(index - 1).end() : gone.start(),
          last ? gone.end() : siblings.get(index + 1).start(),
          "");
    } else if (text.substring(lineStart(start), start).isBlank()) {
      splice(lineBefore(start), lineEnd(gone.end()), "");
    } else {
      splice(start, siblings.get(index + 1).start(), "");
    }
  }

  private void splice(int start, int end, String instead) {
    splices.add(new Splice(start, end, instead, 0));
  }

  private String flow(JsonNode value) {
    return json ? value.toString() : YamlPrinter.flow(value);
  }

  private String inBrackets(ObjectNode fields) {
    String all = flow(fields);
    return all.substring(1, all.length() - 1);
  }

  private String inBrackets(ArrayNode items) {
    return Streams.stream(items).map(this::flow).collect(Collectors.joining(", "));
  }

  /** The place of the dash of an item, which comments may part from its value. */
  private int dash(LocatedValue list, TextSpan item) {
    int column = column(list.span().valueStart());
    int line = lineStart(item.start());
    while (line > 0 && text.charAt(line + column) != '-') {
      line = lineStart(line - 1);
    }
    return line + column;
  }

  private int start(Document document) {
    int root = document.root().span().start();
    return text.startsWith("---", lineStart(root)) ? root : lineStart(root);
  }

  private int back(int from) {
    int at = from;
    while (at > 0 && text.charAt(at - 1) <= ' ') {
      at--;
    }
    return at;
  }

  private int column(int at) {
    return at - lineStart(at);
  }

  private int lineStart(int at) {
    return text.lastIndexOf('\n', at - 1) + 1;
  }

  /** The end of the line before this one. */
  private int lineBefore(int at) {
    int start = lineStart(at);
    return start == 0 ? 0 : lineEnd(lineStart(start - 1));
  }

  /** Where the line ends, before its line end. */
  private int lineEnd(int at) {
    int end = text.indexOf('\n', at);
    int line = end < 0 ? text.length() : end;
    return line > at && text.charAt(line - 1) == '\r' ? line - 1 : line;
  }
}
