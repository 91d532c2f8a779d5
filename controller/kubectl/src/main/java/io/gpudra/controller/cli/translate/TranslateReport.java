package io.gpudra.controller.cli.translate;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.cli.LintReport;
import io.gpudra.controller.cli.ManifestSources;
import io.gpudra.controller.translate.TranslationRemark;
import io.gpudra.controller.translate.TranslationRemark.Weight;
import io.gpudra.controller.translate.TranslationResult;
import io.gpudra.crds.text.JsonText;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints what changes its meaning. */
record TranslateReport(PrintWriter err) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int MAX_REMARKS = 100;

  /** Files that are not read. */
  void printSources(ManifestSources sources) {
    sources.skipped().forEach(one -> print("skipped " + one.file() + ": " + one.why()));
    sources.unread().forEach(one -> print("not read " + one.file() + ": " + one.why()));
  }

  /** Returns whether there are problems. */
  boolean printProblems(List<String> problems) {
    problems.forEach(this::print);
    return !problems.isEmpty();
  }

  /** Remarks, feature gates and counts as text. */
  void print(TranslationResult result, String target, List<String> notes) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (TranslationRemark remark : result.remarks()) {
      if (counts.merge(remark.file(), 1, Integer::sum) <= MAX_REMARKS) {
        print(line(remark));
      }
    }
    counts.forEach(this::printRest);
    if (!result.gates().isEmpty()) {
      print(
          "needs feature gates: %s (off by default in %s)"
              .formatted(String.join(", ", result.gates()), target));
    }
    notes.forEach(note -> print("note: " + note));
    print(
        "%d objects changed, %d unchanged, in %d files: %d same, %d weaker, %d lost"
            .formatted(
                result.changed(),
                result.unchanged(),
                result.files().size(),
                result.count(Weight.SAME),
                result.count(Weight.WEAKER),
                result.count(Weight.LOST)));
  }

  private void printRest(String file, int count) {
    if (count > MAX_REMARKS) {
      print("%s: and %d more".formatted(file, count - MAX_REMARKS));
    }
  }

  private static String line(TranslationRemark remark) {
    return "%s:%d:%d: %s"
        .formatted(
            remark.file(), remark.position().line(), remark.position().column(), remark.text());
  }

  private void print(String line) {
    err.println(LintReport.plain(line));
  }

  /** The same as JSON. */
  void printJson(TranslationResult result) {
    ObjectNode json = JSON.createObjectNode();
    ArrayNode remarks = json.putArray("remarks");
    result.remarks().forEach(remark -> remarks.add(json(remark)));
    json.set("gates", JSON.valueToTree(result.gates()));
    json.put("changed", result.changed()).put("unchanged", result.unchanged());
    err.println(JsonText.plain(json.toPrettyString()));
  }

  private static ObjectNode json(TranslationRemark remark) {
    return JSON.createObjectNode()
        .put("weight", remark.weight().text())
        .put("file", remark.file())
        .put("line", remark.position().line())
        .put("column", remark.position().column())
        .put("object", remark.object())
        .put("path", remark.path())
        .put("before", remark.before())
        .put("after", remark.after())
        .put("remedy", remark.remedy());
  }
}
