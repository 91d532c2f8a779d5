package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a comment, a script or a page says of a document leads somewhere: {@code api.md 2.8, M5 to
 * M9} to a section and to rows of {@code docs/design/api.md}, {@code defect 4} to a row of {@code
 * client-java.md}.
 */
class ReferencesTest {
  private static final Path ROOT = Pages.ROOT;
  private static final Path DESIGN = ROOT.resolve("docs/design");
  private static final ImmutableSet<String> READ =
      ImmutableSet.of("java", "md", "sh", "yaml", "c", "h", "js", "py", "xml", "list", "diff", "");
  private static final int MAX_BYTES = 1 << 20;

  private static final Pattern DOCUMENT =
      Pattern.compile("(?<![\\w./$-])((?:[\\w.-]+/)*[A-Za-z][\\w-]*\\.md)\\b(?![\\w/])");
  private static final String ITEM = "(?:(?:rows?|section) )?(?:[A-Z]\\d+|\\d+(?:\\.\\d+)*)";
  private static final Pattern SECTIONS =
      Pattern.compile(
          "\\b([a-z-]+)\\.md(?:\\]\\([^)]*\\))? (ITEM\\b(?:(?:,| and| to|, and) ITEM\\b)*)"
              .replace("ITEM", ITEM));
  private static final Pattern BETWEEN = Pattern.compile(", and |,? and |, | to ");
  private static final Pattern DEFECTS =
      Pattern.compile("\\bdefects? (\\d+\\b(?:(?:,| and| to|, and) \\d+\\b)*)");
  private static final Pattern WITHOUT_DOCUMENT =
      Pattern.compile(
          "\\b(?:protocol|design|ecosystem|embedded|gpu-model|real-cluster|peers)(?: section)?"
              + " \\d+(?:\\.\\d+)*\\b");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s:]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]+`");
  private static final Pattern TEST = Pattern.compile("`(?:\\w+\\.)*(\\w+Test)(?:\\.\\w+)?`");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
  private static final Pattern NUMBER = Pattern.compile("(?m)^#+ (\\d+(?:\\.\\d+)*)\\.? ");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+(?:[.]\\d+)?) \\|");
  private static final Pattern IDS = Pattern.compile("\\b([A-Z])(\\d+)\\b(?: to \\1(\\d+)\\b)?");

  /** By path from the root. */
  private static ImmutableMap<String, String> files = ImmutableMap.of();

  private static ImmutableMap<String, Document> documents = ImmutableMap.of();

  /** What of a document can be referred to. */
  private record Document(
      ImmutableSet<String> sections, ImmutableSet<String> rows, ImmutableSet<String> ids) {

    static Document of(String text) {
      return new Document(
          found(NUMBER, text),
          found(ROW, text),
          IDS.matcher(text).results().flatMap(Document::range).collect(toImmutableSet()));
    }

    private static ImmutableSet<String> found(Pattern pattern, String text) {
      return pattern.matcher(text).results().map(one -> one.group(1)).collect(toImmutableSet());
    }

    /** Of {@code F1 to F3} all three. */
    private static Stream<String> range(MatchResult ids) {
      int first = Integer.parseInt(ids.group(2));
      int last = ids.group(3) == null ? first : Integer.parseInt(ids.group(3));
      return IntStream.rangeClosed(first, last).mapToObj(number -> ids.group(1) + number);
    }

    boolean has(String item) {
      if (item.startsWith("row")) {
        return rows.contains(item.substring(item.indexOf(' ') + 1));
      }
      String plain = item.replace("section ", "");
      return sections.contains(plain)
          || ids.contains(plain)
          || (plain.contains(".") && rows.contains(plain));
    }
  }

  @BeforeAll
  static void read() throws IOException {
    ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes unused) {
            String name = directory.getFileName().toString();
            boolean ours = !name.startsWith(".") || name.equals(".ci");
            return ours && !name.equals("target")
                ? FileVisitResult.CONTINUE
                : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()
                && attributes.size() <= MAX_BYTES
                && READ.contains(MoreFiles.getFileExtension(file))) {
              all.put(ROOT.relativize(file).toString(), text(file));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    files = all.buildOrThrow();
    documents =
        files.entrySet().stream()
            .filter(file -> file.getKey().startsWith("docs/design/"))
            .collect(
                ImmutableMap.toImmutableMap(
                    file -> MoreFiles.getNameWithoutExtension(Path.of(file.getKey())),
                    file -> Document.of(file.getValue())));
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With each comment on one line. */
  private static String joined(String text) {
    return text.replaceAll("\\n[ \\t]*(?:\\*|//|#(?!#))?[ \\t]*(?=\\S)", " ");
  }

  private static ImmutableList<String> items(String list) {
    boolean rows = false;
    ImmutableList.Builder<String> items = ImmutableList.builder();
    for (String item : Splitter.on(BETWEEN).split(list)) {
      // What follows "rows" are rows, until a section or an id.
      rows = item.startsWith("row") || (rows && item.matches("\\d+"));
      items.add(rows && !item.startsWith("row") ? "row " + item : item);
    }
    return items.build();
  }

  @Test
  void everyDocumentThatIsNamedIsThere() {
    ImmutableSet<String> pages =
        files.keySet().stream().filter(file -> file.endsWith(".md")).collect(toImmutableSet());
    Stream<String> lost =
        files.entrySet().stream()
            .flatMap(
                file ->
                    DOCUMENT
                        .matcher(file.getValue())
                        .results()
                        .map(named -> named.group(1).replaceFirst("^(?:[.]+/)+", ""))
                        .filter(
                            named ->
                                pages.stream()
                                    .noneMatch(page -> ("/" + page).endsWith("/" + named)))
                        .map(named -> file.getKey() + ": " + named));

    assertThat(lost).isEmpty();
  }

  /** A section, row or id of a document, and the file that refers to it. */
  private record Reference(String file, String document, String item) {

    static Stream<Reference> of(String file, MatchResult found) {
      return items(found.group(2)).stream().map(item -> new Reference(file, found.group(1), item));
    }

    boolean leadsSomewhere() {
      Document document = documents.get(this.document);
      return document != null && document.has(item);
    }
  }

  @Test
  void everySectionThatIsNamedIsThere() {
    ImmutableList<Reference> references =
        files.entrySet().stream()
            .flatMap(
                file ->
                    SECTIONS
                        .matcher(joined(file.getValue()))
                        .results()
                        .flatMap(found -> Reference.of(file.getKey(), found)))
            .collect(toImmutableList());

    assertThat(references).hasSizeGreaterThan(150);
    assertThat(references.stream().filter(reference -> !reference.leadsSomewhere())).isEmpty();
  }

  @Test
  void everyDefectThatIsNamedIsInTheListOfThem() {
    Document list = Document.of(text(DESIGN.resolve("client-java.md")));
    ImmutableList<String> named =
        files.entrySet().stream()
            .filter(file -> file.getKey().endsWith(".java"))
            .flatMap(file -> DEFECTS.matcher(joined(file.getValue())).results())
            .flatMap(reference -> items(reference.group(1)).stream())
            .collect(toImmutableList());

    assertThat(named).hasSizeGreaterThan(10).allMatch(list.rows()::contains);
  }

  @Test
  void noReferenceLacksTheNameOfItsDocument() {
    Stream<String> vague =
        files.entrySet().stream()
            .flatMap(
                file ->
                    WITHOUT_DOCUMENT
                        .matcher(joined(file.getValue()))
                        .results()
                        .map(found -> file.getKey() + ": " + found.group()));

    assertThat(vague).isEmpty();
  }

  @Test
  void everyLinkOfAPageLeadsToAFileAndAHeading() {
    ImmutableList<String> broken =
        files.entrySet().stream()
            .filter(file -> file.getKey().endsWith(".md"))
            .flatMap(
                page ->
                    LINK.matcher(CODE.matcher(page.getValue()).replaceAll(""))
                        .results()
                        .filter(link -> !leads(page.getKey(), link))
                        .map(link -> page.getKey() + ": " + link.group()))
            .collect(toImmutableList());

    assertThat(broken).isEmpty();
  }

  private static boolean leads(String page, MatchResult link) {
    Path target =
        link.group(1).isEmpty()
            ? ROOT.resolve(page)
            : ROOT.resolve(page).resolveSibling(link.group(1)).normalize();
    return Files.exists(target)
        && (link.group(2) == null
            || HEADING
                .matcher(text(target))
                .results()
                .anyMatch(heading -> anchor(heading.group(1)).equals(link.group(2))));
  }

  @Test
  void everyTestThatAPageNamesIsThere() {
    ImmutableSet<String> tests =
        files.keySet().stream()
            .filter(file -> file.endsWith("Test.java"))
            .map(file -> MoreFiles.getNameWithoutExtension(Path.of(file)))
            .collect(toImmutableSet());
    Stream<String> named =
        files.entrySet().stream()
            .filter(file -> file.getKey().endsWith(".md") && !file.getKey().startsWith("CHANGELOG"))
            .flatMap(page -> TEST.matcher(page.getValue()).results())
            .map(test -> test.group(1));

    assertThat(named.filter(test -> !tests.contains(test))).isEmpty();
  }

  /** As GitHub makes them. */
  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-');
  }
}
