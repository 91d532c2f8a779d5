package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Markdown.code;
import static io.gpudra.scenarios.reference.Markdown.prose;
import static io.gpudra.scenarios.reference.Markdown.table;

import com.google.common.io.Files;
import io.gpudra.scenarios.Documents;
import io.gpudra.scenarios.Documents.Block;
import io.gpudra.scenarios.Documents.Document;
import io.gpudra.scenarios.Documents.Promise;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What documents of others promise, and how a cluster with this driver has it. */
final class DocumentsPage {
  private static final String DOCS = "docs/";

  private DocumentsPage() {}

  static String of(String intro) throws IOException {
    return Markdown.page(
        "Documents",
        intro,
        Documents.all().stream().map(DocumentsPage::section).collect(Collectors.joining()));
  }

  private static String section(Document document) {
    return "## %s%n%n".formatted(capitalized(document.document()))
        + table(
            List.of("promise", "here"),
            document.promises().stream().map(DocumentsPage::promise).toList())
        + table(
            List.of("block", "what comes of it"),
            document.blocks().stream().map(DocumentsPage::block).toList());
  }

  private static String capitalized(String title) {
    return Character.toUpperCase(title.charAt(0)) + title.substring(1);
  }

  private static List<String> promise(Promise promise) {
    String here =
        promise.not() == null
            ? promise.shownBy().stream().map(DocumentsPage::link).collect(Collectors.joining(", "))
            : "not: " + promise.not();
    return List.of(prose(promise.text()), here);
  }

  private static String link(String file) {
    String from = file.startsWith(DOCS) ? file.substring(DOCS.length()) : "../" + file;
    String name = Files.getNameWithoutExtension(file).replace(".expect", "");
    return "[%s](../%s)".formatted(name, from);
  }

  private static List<String> block(Block block) {
    String comes =
        Stream.of(
                block.converts() == null ? "" : "is converted",
                block.refused() == null ? "" : "is refused by `convert`",
                block.runs() == null ? "" : "runs: " + link(block.scenario()),
                block.chart() == null ? "" : "installs this driver",
                block.conditions() == 0 ? "" : "conditions of claims",
                block.cannot() == null ? "" : "does not run: " + block.cannot())
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("; "));
    return List.of(code(block.file()), comes);
  }
}
