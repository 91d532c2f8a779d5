package io.gpudra.scenarios.reference;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.gpudra.scenarios.reference.Markdown.code;
import static io.gpudra.scenarios.reference.Markdown.prose;
import static io.gpudra.scenarios.reference.Markdown.table;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.scenarios.SourceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Events, reasons of nodes and findings: from the catalogue of the design, the enums, and sentences
 * that the driver makes.
 */
final class EventsPage {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| (.+) \\|$");
  private static final Pattern EVENT = Pattern.compile("\"([A-Z][a-z]+(?:[A-Z][a-z]+)*)\"");
  private static final Pattern TELLS =
      Pattern.compile("new Warning\\(|String warning\\(\\)|String REASON = ");
  private static final Pattern TOLD_FINDINGS =
      Pattern.compile("(?s)REPORTED_HERE =\\s*ImmutableSet[.]of\\((.*?)\\);");
  private static final Pattern KIND = Pattern.compile("Kind[.](\\w+)");

  private EventsPage() {}

  static String of(Path root, String intro) throws IOException {
    ImmutableMap<String, String> catalogue = catalogue(root);
    return Markdown.page(
        "Events and reasons",
        intro,
        "## Events\n\n"
            + events(catalogue)
            + "## Why a node does not suit a claim\n\n"
            + causes()
            + "## Why a claim is not allocated, regardless of nodes\n\n"
            + others()
            + "## Findings\n\n"
            + findings(catalogue));
  }

  /** When there is which event, as the design says. */
  static ImmutableMap<String, String> catalogue(Path root) throws IOException {
    String page = Files.readString(root.resolve("docs/design/api.md"));
    String section = page.substring(page.indexOf("### 7.2 "), page.indexOf("## 8. "));
    return ROW.matcher(section)
        .results()
        .collect(toImmutableMap(row -> row.group(1), row -> row.group(2)));
  }

  /** Reasons of events, as the sources of the controller write them. */
  static ImmutableSet<String> told() throws IOException {
    ImmutableSet.Builder<String> told = ImmutableSet.builder();
    Arrays.stream(UnsuitableReason.Kind.values())
        .flatMap(kind -> kind.event().stream())
        .forEach(told::add);
    for (String module : SourceFiles.PRODUCT) {
      if (module.startsWith("controller/")) {
        for (Path file : SourceFiles.of(module)) {
          told.addAll(told(Files.readString(file)));
        }
      }
    }
    return told.build();
  }

  private static ImmutableSet<String> told(String source) {
    Stream<String> written = TELLS.matcher(source).find() ? groups(EVENT, source) : Stream.of();
    Stream<String> findings =
        groups(TOLD_FINDINGS, source)
            .flatMap(kinds -> groups(KIND, kinds))
            .map(kind -> Kind.valueOf(kind).label());
    return Stream.concat(written, findings).collect(toImmutableSet());
  }

  private static Stream<String> groups(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
  }

  private static String events(ImmutableMap<String, String> catalogue) {
    Map<String, String> examples = Events.examples();
    return table(
        List.of("reason", "when", "for example"),
        catalogue.entrySet().stream()
            .map(
                event ->
                    List.of(
                        code(event.getKey()),
                        event.getValue(),
                        prose(examples.getOrDefault(event.getKey(), ""))))
            .toList());
  }

  private static String causes() {
    return table(
        List.of(
            "`reason` of the metric",
            "in events",
            "no release can help",
            "for example",
            "what to do"),
        kinds(UnsuitableReason.Scope.NODE).map(EventsPage::cause).toList());
  }

  private static Stream<UnsuitableReason.Kind> kinds(UnsuitableReason.Scope scope) {
    return Arrays.stream(UnsuitableReason.Kind.values()).filter(kind -> kind.scope() == scope);
  }

  private static List<String> cause(UnsuitableReason.Kind cause) {
    UnsuitableReason example = Refusals.example(cause);
    if (example.kind() != cause) {
      throw new AssertionError(cause + ": " + example.kind());
    }
    return List.of(
        code(cause.label()),
        cause.phrase(),
        cause.lasting() ? "yes" : "",
        prose(example.text(new NamespaceAudience(Workbench.NAMESPACE))),
        prose(cause.remedy()));
  }

  private static String others() {
    return table(
        List.of("of", "reason", "event", "what to do"),
        Stream.of(
                others(UnsuitableReason.Scope.CLAIM, "the class or the parameters"),
                others(UnsuitableReason.Scope.POD, "the pod and its claims"),
                others(UnsuitableReason.Scope.WRITE, "the write of the allocation"))
            .flatMap(rows -> rows)
            .toList());
  }

  private static Stream<List<String>> others(UnsuitableReason.Scope scope, String of) {
    return kinds(scope)
        .map(
            kind ->
                List.of(
                    of,
                    kind.phrase(),
                    kind.event().map(Markdown::code).orElse(""),
                    prose(kind.remedy())));
  }

  private static String findings(ImmutableMap<String, String> catalogue) {
    return table(
        List.of("finding", "event", "for example", "what to do"),
        Arrays.stream(Kind.values())
            .map(
                kind ->
                    List.of(
                        code(kind.label()),
                        catalogue.containsKey(kind.label()) ? "yes" : "",
                        prose(Findings.example(kind).orElse("")),
                        prose(kind.remedy())))
            .toList());
  }
}
