package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.cli.ManifestSources.NotRead;
import io.gpudra.controller.lint.LintFinding;
import io.gpudra.controller.lint.LintResult;
import io.gpudra.crds.text.JsonText;
import java.io.PrintWriter;
import java.util.stream.Collectors;

/** Findings as {@code kubectl gpudra lint} shows them. */
public final class LintReport {
  private static final JsonMapper JSON = new JsonMapper();

  private LintReport() {}

  /** Prints findings to {@code out} and skipped files to {@code err}. */
  static void print(
      LintResult lintResult, ManifestSources sources, PrintWriter out, PrintWriter err) {
    sources
        .skipped()
        .forEach(one -> err.println(plain("skipped " + one.file() + ": " + one.why())));
    sources
        .unread()
        .forEach(one -> err.println(plain("not read " + one.file() + ": " + one.why())));
    lintResult.findings().forEach(finding -> out.println(plain(line(finding))));
    lintResult
        .unreported()
        .forEach((file, more) -> out.println(plain(file + ": and " + more + " more")));
    out.println(summary(lintResult, sources.read().size()));
  }

  private static String line(LintFinding finding) {
    String object = finding.object().isEmpty() ? "" : finding.object() + ": ";
    return "%s:%d:%d: %s%s"
        .formatted(finding.file(), finding.line(), finding.column(), object, finding.text());
  }

  private static String summary(LintResult lintResult, int files) {
    int found =
        lintResult.findings().size()
            + lintResult.unreported().values().stream().mapToInt(Integer::intValue).sum();
    String what = found == 0 ? "nothing wrong" : found == 1 ? "1 finding" : found + " findings";
    return "%s; checked %s in %s"
        .formatted(what, counted(lintResult.objects(), "object"), counted(files, "file"));
  }

  private static String counted(int number, String noun) {
    return "%d %s%s".formatted(number, noun, number == 1 ? "" : "s");
  }

  /** The text without control characters and changes of the text direction. */
  public static String plain(String text) {
    return text.codePoints()
        .mapToObj(point -> isPlain(point) ? Character.toString(point) : "\uFFFD")
        .collect(Collectors.joining());
  }

  private static boolean isPlain(int point) {
    return !Character.isISOControl(point) && Character.getType(point) != Character.FORMAT;
  }

  static String json(LintResult lintResult, ManifestSources sources) {
    Json json =
        new Json(
            sources.read().size(),
            lintResult.objects(),
            lintResult.findings(),
            lintResult.unreported(),
            sources.skipped(),
            sources.unread());
    return JsonText.plain(JSON.valueToTree(json).toPrettyString());
  }

  private record Json(
      int files,
      int objects,
      ImmutableList<LintFinding> findings,
      ImmutableMap<String, Integer> untold,
      ImmutableList<NotRead> skipped,
      ImmutableList<NotRead> unread) {}
}
