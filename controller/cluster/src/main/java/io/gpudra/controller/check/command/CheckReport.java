package io.gpudra.controller.check.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.check.FindingJson;
import java.util.stream.Collectors;

/** Output of a check. */
final class CheckReport {

  private CheckReport() {}

  static String json(String driver, int nodes, int claims, ImmutableList<Finding> findings) {
    ObjectNode report = FindingJson.JSON.createObjectNode();
    report.put("driver", driver).put("nodes", nodes).put("claims", claims);
    ArrayNode all = report.putArray("findings");
    findings.forEach(finding -> FindingJson.add(all, finding));
    return FindingJson.text(report);
  }

  static String text(String driver, int nodes, int claims, ImmutableList<Finding> findings) {
    return findings.stream().map(CheckReport::text).collect(Collectors.joining())
        + "findings: %d (driver %s, nodes: %d, claims: %d)\n"
            .formatted(findings.size(), driver, nodes, claims);
  }

  private static String text(Finding finding) {
    StringBuilder text = new StringBuilder(finding.kind().label());
    if (!finding.node().isEmpty()) {
      text.append(" on ").append(finding.node());
    }
    finding
        .claims()
        .forEach((uid, ref) -> text.append("\n  claim:  ").append(ref).append(" uid ").append(uid));
    finding.devices().forEach(device -> text.append("\n  device: ").append(device));
    text.append("\n  what:   ").append(TerminalText.line(finding.message()));
    text.append("\n  to do:  ").append(finding.kind().remedy());
    return TerminalText.lines(text.append("\n\n").toString());
  }
}
