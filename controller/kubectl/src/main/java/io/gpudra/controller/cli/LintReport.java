package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.Finding;
import io.gpudra.controller.lint.Report;
import io.gpudra.crds.text.JsonText;
import java.io.PrintWriter;
import java.util.stream.Collectors;

/** Findings as {@code kubectl gpudra lint} shows them. */
final class LintReport {
  private static final JsonMapper JSON = new JsonMapper();

  private LintReport() {}

  /** Prints findings to {@code out} and skipped files to {@code err}. */
  static void print(Report report, ManifestSources sources, PrintWriter out, PrintWriter err) {
    sources
        .skipped()
        .forEach(one -> err.println(plain("skipped " + one.name() + ": " + one.why())));
    sources
        .unread()
        .forEach(one -> err.println(plain("not read " + one.name() + ": " + one.why())));
    report.findings().forEach(finding -> out.println(plain(line(finding))));
    report.untold().forEach((file, more) -> out.println(plain(file + ": and " + more + " more")));
    out.println(summary(report, sources.read().size()));
  }

  private static String line(Finding finding) {
    String object = finding.object().isEmpty() ? "" : finding.object() + ": ";
    return "%s:%d:%d: %s%s"
        .formatted(finding.file(), finding.line(), finding.column(), object, finding.text());
  }

  private static String summary(Report report, int files) {
    int found =
        report.findings().size()
            + report.untold().values().stream().mapToInt(Integer::intValue).sum();
    String what = found == 0 ? "nothing wrong" : found == 1 ? "1 finding" : found + " findings";
    return "%s; checked %s in %s"
        .formatted(what, counted(report.objects(), "object"), counted(files, "file"));
  }

  private static String counted(int number, String noun) {
    return "%d %s%s".formatted(number, noun, number == 1 ? "" : "s");
  }

  /** Without control characters and changes of the text direction. */
  private static String plain(String text) {
    return text.codePoints()
        .mapToObj(point -> isPlain(point) ? Character.toString(point) : "\uFFFD")
        .collect(Collectors.joining());
  }

  private static boolean isPlain(int point) {
    return !Character.isISOControl(point) && Character.getType(point) != Character.FORMAT;
  }

  static String json(Report report, ManifestSources sources) {
    ObjectNode json = JSON.createObjectNode();
    json.put("files", sources.read().size());
    json.put("objects", report.objects());
    ArrayNode findings = json.putArray("findings");
    report.findings().forEach(finding -> add(findings.addObject(), finding));
    ObjectNode untold = json.putObject("untold");
    report.untold().forEach(untold::put);
    add(json.putArray("skipped"), sources.skipped());
    add(json.putArray("unread"), sources.unread());
    return JsonText.plain(json.toPrettyString());
  }

  private static void add(ObjectNode json, Finding finding) {
    json.put("file", finding.file());
    json.put("line", finding.line());
    json.put("column", finding.column());
    json.put("kind", finding.kind());
    json.put("namespace", finding.namespace());
    json.put("name", finding.name());
    json.put("path", finding.path());
    json.put("text", finding.text());
  }

  private static void add(ArrayNode json, ImmutableList<ManifestSources.NotRead> files) {
    files.forEach(file -> json.addObject().put("file", file.name()).put("why", file.why()));
  }
}
