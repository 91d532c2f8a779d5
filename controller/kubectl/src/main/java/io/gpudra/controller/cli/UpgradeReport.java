package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.doctor.upgrade.UpgradeCollector;
import io.gpudra.controller.doctor.upgrade.UpgradeStep;

/** The steps of an upgrade as they are printed. */
record UpgradeReport(UpgradeCollector.Result result) {
  private static final JsonMapper JSON = new JsonMapper();

  /** An upgrade is never called safe if a check was not possible. */
  int exitCode() {
    if (result.blocking() > 0) {
      return GpudraCommand.SOMETHING_WRONG;
    }
    return result.unseen().isEmpty() ? GpudraCommand.ANSWERED : GpudraCommand.NOT_ANSWERED;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    result.steps().forEach(step -> append(text, step));
    return text.append(summary()).append('\n').toString();
  }

  private static void append(StringBuilder text, UpgradeStep step) {
    text.append(line(step.kind().label() + ": " + step.subject()))
        .append(line("  what:   " + step.message()))
        .append(line("  to do:  " + step.command()))
        .append('\n');
  }

  private static String line(String text) {
    return TerminalText.line(text) + "\n";
  }

  private String summary() {
    if (result.blocking() > 0) {
      return "steps: %d, of which %d %s"
          .formatted(
              result.steps().size(),
              result.blocking(),
              result.replaced()
                  ? "mend what was left behind"
                  : "must come before the API server is replaced");
    }
    if (!result.unseen().isEmpty()) {
      return "not all could be checked";
    }
    return result.replaced() ? "nothing was left behind" : "the API server may be replaced";
  }

  ObjectNode json() {
    ObjectNode json = JSON.createObjectNode();
    json.putArray("steps").addAll(result.steps().stream().map(UpgradeReport::json).toList());
    result.unseen().forEach(json.putArray("notLookedAt")::add);
    return json;
  }

  private static ObjectNode json(UpgradeStep step) {
    return JSON.createObjectNode()
        .put("complaint", step.kind().label())
        .put("blocking", step.kind().blocking())
        .put("subject", step.subject())
        .put("what", step.message())
        .put("todo", step.command());
  }
}
