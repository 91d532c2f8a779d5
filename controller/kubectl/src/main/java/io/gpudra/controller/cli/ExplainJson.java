package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.dryrun.BlockingClaim;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;
import io.gpudra.controller.view.explain.AllocationDetails;
import io.gpudra.controller.view.explain.ClaimDetails;
import io.gpudra.controller.view.explain.ExplainResult;
import io.gpudra.controller.view.explain.GroupDetails;
import io.gpudra.controller.view.explain.WaitDetails;
import io.gpudra.controller.view.explain.WaitDetails.Help;
import io.gpudra.controller.view.explain.WaitDetails.Place;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Locale;
import java.util.Optional;

/** An explanation as JSON. */
final class ExplainJson {
  private ExplainJson() {}

  /**
   * The whole explanation.
   *
   * @param lines the explanation as text
   */
  static ObjectNode of(ExplainResult explainResult, ImmutableList<String> lines) {
    ObjectNode json = FindingJson.JSON.createObjectNode();
    json.put("kind", explainResult.kind().text());
    json.put("namespace", explainResult.namespace()).put("name", explainResult.name());
    explainResult.phase().ifPresent(phase -> json.put("phase", phase));
    explainResult.node().ifPresent(node -> json.put("node", node));
    explainResult.scheduling().ifPresent(pod -> scheduling(json.putObject("scheduling"), pod));
    ArrayNode claims = json.putArray("claims");
    explainResult.claims().forEach(claim -> claim(claims.addObject(), claim));
    explainResult.group().ifPresent(group -> group(json.putObject("group"), group));
    explainResult
        .waiting()
        .ifPresent(waitDetails -> waiting(json.putObject("waiting"), waitDetails));
    explainResult.notes().forEach(json.putArray("notes")::add);
    lines.forEach(json.putArray("text")::add);
    return json;
  }

  private static void scheduling(ObjectNode json, Scheduling pod) {
    json.put("scheduler", pod.scheduler());
    pod.gates().forEach(json.putArray("gates")::add);
    pod.refusal().ifPresent(why -> json.put("refusal", why));
  }

  private static void claim(ObjectNode json, ClaimDetails claim) {
    json.put("namespace", claim.ref().namespace()).put("name", claim.ref().name());
    json.put("state", claim.state().name().toLowerCase(Locale.ROOT));
    claim.problems().forEach(json.putArray("problems")::add);
    claim.grant().ifPresent(grant -> grant(json.putObject("grant"), grant));
    ArrayNode refusals = json.putArray("refusals");
    claim
        .refusals()
        .forEach(
            (node, reason) ->
                refusals
                    .addObject()
                    .put("node", node)
                    .put("reason", reason.kind().label())
                    .put("text", reason.text(NamespaceAudience.READER_OF_ALL)));
    claim.never().forEach(json.putArray("never")::add);
  }

  private static void grant(ObjectNode json, AllocationDetails grant) {
    json.put("node", grant.node());
    grant.at().ifPresent(at -> json.put("since", at.toString()));
    grant.generation().ifPresent(generation -> json.put("generation", generation));
    grant.parameters().ifPresent(name -> json.put("parameters", name));
    grant.generationNow().ifPresent(generation -> json.put("generationNow", generation));
    grant.prepared().ifPresent(prepared -> json.put("prepared", prepared));
    ArrayNode devices = json.putArray("devices");
    grant.devices().forEach(device -> NodeListJson.gpu(devices.addObject(), device.gpu()));
    ArrayNode users = json.putArray("reservedFor");
    grant.consumers().forEach(user -> users.add(user.object()));
  }

  private static void group(ObjectNode json, GroupDetails group) {
    json.put("name", group.name()).put("present", group.present()).put("needed", group.needed());
    group.problems().forEach(json.putArray("problems")::add);
    group
        .room()
        .ifPresent(
            room ->
                json.put("fitting", room.fitting())
                    .put("searched", room.searched())
                    .put("decided", room.decided()));
  }

  private static void waiting(ObjectNode json, WaitDetails waitDetails) {
    json.put("since", waitDetails.since().toString());
    waitDetails.place().ifPresent(place -> place(json, place));
    waitDetails.fitting().forEach(json.putArray("fitting")::add);
    waitDetails.offered().ifPresent(offered -> offered.forEach(json.putArray("considered")::add));
    waitDetails
        .limit()
        .ifPresent(
            why ->
                json.putObject("limit")
                    .put("reason", why.kind().label())
                    .put("text", why.text(NamespaceAudience.READER_OF_ALL)));
    Optional<Help> help = waitDetails.remedy();
    if (help.isPresent() && help.get().remedy() instanceof ReleaseRemedy.Release release) {
      ObjectNode remedy = json.putObject("remedy").put("node", release.node());
      release(remedy, release.exact(), release.blockers());
      evictions(json.putArray("lowerPriority"), help.get());
    } else if (help.isPresent() && help.get().remedy() instanceof ReleaseRemedy.Claims release) {
      release(json.putObject("remedy"), release.exact(), release.blockers());
    }
  }

  private static void place(ObjectNode json, Place place) {
    json.put("place", place.number()).put("of", place.of()).put("higherPriority", place.higher());
  }

  private static void evictions(ArrayNode json, Help help) {
    help.evictions()
        .forEach(
            one ->
                json.addObject()
                    .put("namespace", one.pod().namespace())
                    .put("name", one.pod().name())
                    .put("priority", one.priority()));
  }

  private static void release(
      ObjectNode json, boolean exact, ImmutableList<BlockingClaim> blockers) {
    json.put("exact", exact);
    ArrayNode claims = json.putArray("release");
    blockers.forEach(
        blockingClaim ->
            FindingJson.claim(claims.addObject(), blockingClaim.ref(), blockingClaim.uid())
                .put("draining", blockingClaim.draining()));
  }
}
