package io.gpudra.controller.lint.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts before and after an edit. */
class TextEditsTest {
  private static final Path EXAMPLES = Path.of("../../manifests/examples");

  private static final String POD =
      """
      # a pod
      kind: Pod   # of one container
      spec:
        containers:
          - name: a
            args: [x, "y"]
          # the second
          - name: b
            text: |
              one
              two

        resourceClaims:
        - name: gpu  # all of it
          source: {template: t}
        - name: other
          source:
            template: u # not v
      """;

  private static JsonNode value(String yaml) {
    return YamlDocuments.of(yaml).documents().get(0).root().value();
  }

  private static ObjectNode fields(String yaml) {
    return (ObjectNode) value(yaml);
  }

  private static ArrayNode items(String yaml) {
    return (ArrayNode) value(yaml);
  }

  private static String edited(String text, BiConsumer<TextEdits, LocatedValue> edit) {
    TextEdits edits = new TextEdits(text);
    edit.accept(edits, YamlDocuments.of(text).documents().get(0).root());
    return edits.result();
  }

  private static LocatedValue in(LocatedValue root, String... names) {
    LocatedValue here = root;
    for (String name : names) {
      here = here.field(name).orElseThrow();
    }
    return here;
  }

  private static LocatedValue claim(LocatedValue root, int index) {
    return in(root, "spec", "resourceClaims").items().get(index);
  }

  @Test
  void aScalarKeepsItsComment() {
    assertThat(edited(POD, (edits, pod) -> edits.replaceValue(in(pod, "kind"), value("Job"))))
        .isEqualTo(POD.replace("kind: Pod ", "kind: Job "));
  }

  @Test
  void aBlockIsReplacedUpToItsLastValue() {
    assertThat(
            edited(
                POD,
                (edits, pod) ->
                    edits.replaceValue(
                        in(pod, "spec", "containers"), value("[{name: c}, {name: d}]"))))
        .isEqualTo(
            POD.substring(0, POD.indexOf("    - name: a"))
                + "    - name: c\n    - name: d\n\n"
                + POD.substring(POD.indexOf("  resourceClaims")));
  }

  @Test
  void aFieldIsReplacedByOthersAtItsPlace() {
    assertThat(
            edited(
                POD,
                (edits, pod) -> {
                  edits.replaceField(claim(pod, 0), "source", fields("{t: 1, u: [2]}"));
                  edits.replaceField(claim(pod, 1), "source", fields("{template: w}"));
                }))
        .isEqualTo(
            POD.replace("source: {template: t}", "t: 1\n    u:\n    - 2")
                .replace("source:\n      template: u #", "template: w #"));
  }

  @Test
  void aFieldIsRemovedWithItsLines() {
    assertThat(
            edited(
                POD,
                (edits, pod) -> {
                  edits.replaceField(claim(pod, 0), "name", fields("{}"));
                  edits.replaceField(claim(pod, 1), "source", fields("{}"));
                  edits.replaceField(in(pod, "spec"), "containers", fields("{}"));
                }))
        .isEqualTo(
            """
            # a pod
            kind: Pod   # of one container
            spec:

              resourceClaims:
              - source: {template: t}
              - name: other
            """);
  }

  @Test
  void aFieldIsAddedBehindTheLastOne() {
    assertThat(
            edited(
                POD,
                (edits, pod) -> {
                  edits.addField(pod, "last", value("{a: 1}"));
                  edits.addField(claim(pod, 1), "inner", value("12e3"));
                }))
        .isEqualTo(POD + "    inner: 12000\nlast:\n  a: 1\n");
  }

  @Test
  void itemsAreReplacedAndRemovedWithTheirDashes() {
    assertThat(
            edited(
                POD,
                (edits, pod) -> {
                  edits.replaceItem(in(pod, "spec", "containers"), 0, items("[]"));
                  edits.replaceItem(
                      in(pod, "spec", "resourceClaims"), 1, items("[{b: 1}, {c: 2}]"));
                }))
        .isEqualTo(
            POD.replace("    - name: a\n      args: [x, \"y\"]\n", "")
                .replace(
                    "  - name: other\n    source:\n      template: u #", "  - b: 1\n  - c: 2 #"));
  }

  @Test
  void bracketsStay() {
    String text = "{kind: Pod, spec: {a: [1, 2, 3], b: x }}";

    assertThat(
            edited(
                text,
                (edits, pod) -> {
                  edits.replaceItem(in(pod, "spec", "a"), 2, items("[]"));
                  edits.replaceItem(in(pod, "spec", "a"), 0, items("[7, 8]"));
                  edits.replaceField(in(pod, "spec"), "b", fields("{c: 1, d: 2}"));
                  edits.addField(in(pod, "spec"), "e", value("[y]"));
                  edits.replaceField(pod, "kind", fields("{}"));
                }))
        .isEqualTo("{spec: {a: [7, 8, 2], \"c\":1,\"d\":2, \"e\":[\"y\"] }}");
  }

  @Test
  void jsonStaysJson() {
    assertThat(
            edited(
                "{\t\"kind\": \"Pod\",\n\t\"n\": 1}",
                (edits, pod) -> edits.replaceValue(in(pod, "n"), fields("{a: b}"))))
        .isEqualTo("{\t\"kind\": \"Pod\",\n\t\"n\": {\"a\":\"b\"}}");
  }

  @Test
  void offsetsCountWhatIsOutsideTheBasicPlane() {
    String text = "---\n# 😀😀\na: '😀 x'\nb: 😀\nc: 1\n";

    assertThat(edited(text, (edits, root) -> edits.replaceValue(in(root, "b"), value("2"))))
        .isEqualTo(text.replace("b: 😀", "b: 2"));
  }

  @Test
  void linesEndAsTheFirstOne() {
    String text = "a: 1\r\nb:\r\n  c: 2\r\nd: 3\r\n";

    assertThat(
            edited(
                text,
                (edits, root) -> {
                  edits.replaceField(root, "b", fields("{}"));
                  edits.addField(root, "e", value("{f: 1, g: 2}"));
                }))
        .isEqualTo("a: 1\r\nd: 3\r\ne:\r\n  f: 1\r\n  g: 2\r\n");
  }

  @Test
  void documentsAreReplacedAndAdded() {
    String text = "# head\n---\n# of a\na: 1\n\n---\nb: 2";
    TextEdits edits = new TextEdits(text);
    ImmutableList<Document> documents = YamlDocuments.of(text).documents();
    edits.replaceDocument(documents.get(0), "# no a");
    edits.insertBefore(documents.get(1), "c: 3\n");
    edits.insertAfter(documents.get(1), "d: 4\n");

    assertThat(edits.result())
        .isEqualTo("# head\n---\n# of a\n# no a\n\n---\nc: 3\n---\nb: 2\n---\nd: 4\n");
  }

  @Test
  void nothingIsChangedTwice() {
    assertThatThrownBy(
            () ->
                edited(
                    POD,
                    (edits, pod) -> {
                      edits.replaceValue(in(pod, "spec"), value("1"));
                      edits.replaceValue(claim(pod, 0), value("2"));
                    }))
        .isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anotherSpecLeavesEverythingElse(Path example) throws IOException {
    String text = Files.readString(example);
    TextEdits edits = new TextEdits(text);
    for (Document document : YamlDocuments.of(text).documents()) {
      document.root().field("spec").ifPresent(spec -> edits.replaceValue(spec, value("{a: 1}")));
    }
    String result = edits.result();

    assertThat(rest(result)).isEqualTo(rest(text));
    assertThat(comments(text)).containsAll(comments(result));
  }

  /** All objects without their spec. */
  private static ImmutableList<JsonNode> rest(String text) {
    return YamlDocuments.of(text).documents().stream()
        .map(document -> ((ObjectNode) document.root().value()).without("spec"))
        .map(JsonNode.class::cast)
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<String> comments(String text) {
    return text.lines()
        .filter(line -> line.startsWith("#"))
        .collect(ImmutableList.toImmutableList());
  }

  private static Stream<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("texts")
  void whatIsPrintedIsReadAgain(String text) {
    ObjectNode value = JsonNodeFactory.instance.objectNode().put("a", text);

    assertThat(value(YamlPrinter.block(value, 0) + "\n")).isEqualTo(value);
    assertThat(value(YamlPrinter.flow(value))).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0o17", "12e3", "1.5.2", "0x1F"})
  void whatAnyReaderTakesForANumberIsQuoted(String text) {
    assertThat(YamlPrinter.flow(JsonNodeFactory.instance.textNode(text)))
        .isEqualTo("\"" + text + "\"");
  }

  private static Stream<String> texts() {
    return Stream.of(
        "x",
        "12e3",
        "0x1F",
        "1_000",
        "0o17",
        ".inf",
        "yes",
        "null",
        "~",
        "2001-01-01",
        "a: b",
        "# c",
        "two\nlines\n",
        "two\n lines",
        " x ",
        "[",
        "device.a == \"b\" || c[\"d\"].e < 1",
        "",
        "😀",
        "\u0007",
        "1:30");
  }
}
