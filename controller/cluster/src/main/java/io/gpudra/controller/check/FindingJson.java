package io.gpudra.controller.check;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.text.JsonText;

/** Findings as {@code controller check --output=json} and {@code /debug/ledger} show them. */
public final class FindingJson {
  public static final JsonMapper JSON = new JsonMapper();

  private FindingJson() {}

  /** The text, also for a terminal: nodes choose the names of their devices. */
  public static String text(ObjectNode json) {
    return JsonText.plain(json.toPrettyString()) + "\n";
  }

  /** Appends one finding. */
  public static void add(ArrayNode findings, Finding finding) {
    ObjectNode json = findings.addObject();
    json.put("kind", finding.kind().label());
    json.put("node", finding.node());
    ArrayNode claims = json.putArray("claims");
    finding.claims().forEach((uid, ref) -> claim(claims.addObject(), ref, uid));
    ArrayNode devices = json.putArray("devices");
    finding.devices().forEach(devices::add);
    json.put("what", finding.message());
    json.put("todo", finding.kind().remedy());
  }

  /** The identity of a claim. */
  public static ObjectNode claim(ObjectNode json, ClaimRef ref, ClaimUid uid) {
    return json.put("namespace", ref.namespace()).put("name", ref.name()).put("uid", uid.value());
  }
}
