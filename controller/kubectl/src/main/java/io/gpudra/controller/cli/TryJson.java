package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.controller.view.dryrun.BlockingClaim;
import io.gpudra.controller.view.dryrun.DryRunResult;
import io.gpudra.controller.view.dryrun.DryRunResult.Placed;
import io.gpudra.controller.view.dryrun.DryRunResult.Waiting;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;

/** The result of {@code try} as JSON. */
final class TryJson {

  private TryJson() {}

  static ObjectNode of(ImmutableList<DryRunResult> all, TryReport report) {
    ObjectNode json = FindingJson.JSON.createObjectNode();
    ArrayNode objects = json.putArray("objects");
    all.forEach(one -> add(objects.addObject(), one, report));
    return json;
  }

  private static void add(ObjectNode json, DryRunResult one, TryReport report) {
    json.put("kind", one.kind()).put("namespace", one.namespace()).put("name", one.name());
    json.put("wanted", one.wanted()).put("fitting", one.placed().size());
    json.put("untried", one.untried());
    ArrayNode placed = json.putArray("placed");
    one.placed().forEach(each -> add(placed.addObject(), each));
    one.notConsidered().forEach(json.putArray("notConsidered")::add);
    one.waiting().ifPresent(waiting -> add(json.putObject("waiting"), waiting, report));
  }

  private static void add(ObjectNode json, Placed placed) {
    json.put("name", placed.name());
    placed.node().ifPresent(node -> json.put("node", node));
    placed.suitable().forEach(json.putArray("suitableNodes")::add);
    ObjectNode claims = json.putObject("devices");
    placed.devices().forEach((claim, names) -> names.forEach(claims.putArray(claim)::add));
  }

  private static void add(ObjectNode json, Waiting waiting, TryReport report) {
    json.put("name", waiting.name());
    waiting.texts().forEach(json.putArray("reasons")::add);
    ObjectNode nodes = json.putObject("nodes");
    waiting.nodes().forEach(nodes::put);
    waiting.remedy().ifPresent(remedy -> add(json.putObject("remedy"), remedy, report));
  }

  private static void add(ObjectNode json, ReleaseRemedy remedy, TryReport report) {
    json.put("text", report.text(remedy));
    if (remedy instanceof ReleaseRemedy.Release release) {
      json.put("node", release.node()).put("smallest", release.exact());
      release(json, release.blockers(), report);
    } else if (remedy instanceof ReleaseRemedy.Claims release) {
      json.put("smallest", release.exact());
      release(json, release.blockers(), report);
    } else if (remedy instanceof ReleaseRemedy.NotWithin not) {
      json.put("noSetOfAtMost", not.most());
    }
  }

  private static void release(
      ObjectNode json, ImmutableList<BlockingClaim> blockers, TryReport report) {
    ArrayNode claims = json.putArray("release");
    for (BlockingClaim blockingClaim : blockers) {
      ObjectNode claim = claims.addObject();
      FindingJson.claim(claim, blockingClaim.ref(), blockingClaim.uid())
          .put("draining", blockingClaim.draining());
      report.users(blockingClaim).forEach(claim.putArray("usedBy")::add);
    }
  }
}
