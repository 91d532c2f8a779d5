package io.gpudra.controller.app;

import static java.util.Comparator.comparing;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * {@code /debug/ledger}: the holders of devices by node, and all findings. Shows a page of nodes by
 * name, from immutable ledgers, so that a slow reader blocks no other thread.
 *
 * @param leading whether this process leads; a standby shows its own view
 * @param findings of the last count
 */
record LedgerPage(
    BooleanSupplier leading,
    Supplier<ImmutableList<NodeLedger>> ledgers,
    Supplier<ImmutableList<Finding>> findings)
    implements Function<ImmutableMap<String, String>, String> {

  static final int NODES = 100;
  static final int FINDINGS = 1_000;

  /**
   * Renders the page.
   *
   * @param query {@code node}: only this node; {@code after}: nodes after this name
   */
  @Override
  public String apply(ImmutableMap<String, String> query) {
    Optional<String> node = Optional.ofNullable(query.get("node"));
    String after = query.getOrDefault("after", "");
    List<NodeLedger> rest =
        ledgers.get().stream()
            .filter(ledger -> node.map(ledger.node()::equals).orElse(true))
            .filter(ledger -> ledger.node().compareTo(after) > 0)
            .sorted(comparing(NodeLedger::node))
            .limit(NODES + 1L)
            .toList();
    List<NodeLedger> shown = rest.subList(0, Math.min(NODES, rest.size()));
    ObjectNode page = FindingJson.JSON.createObjectNode();
    page.put("leading", leading.getAsBoolean());
    add(
        page,
        findings.get().stream().filter(f -> node.map(f.node()::equals).orElse(true)).toList());
    ArrayNode nodes = page.putArray("nodes");
    shown.forEach(ledger -> add(nodes.addObject(), ledger));
    if (rest.size() > shown.size()) {
      page.put("next", shown.get(NODES - 1).node());
    }
    return FindingJson.text(page);
  }

  private static void add(ObjectNode page, List<Finding> all) {
    page.put("findingsInAll", all.size());
    ArrayNode findings = page.putArray("findings");
    all.stream().limit(FINDINGS).forEach(finding -> FindingJson.add(findings, finding));
  }

  private static void add(ObjectNode json, NodeLedger ledger) {
    json.put("node", ledger.node());
    json.put("service", text(ledger.inventory().service()));
    ArrayNode devices = json.putArray("devices");
    devices(ledger).forEach(uuid -> device(devices.addObject(), uuid, ledger));
    ArrayNode unreadable = json.putArray("unreadable");
    ledger
        .unreadable()
        .forEach(
            (uid, handle) ->
                FindingJson.claim(unreadable.addObject(), handle.ref(), uid)
                    .put("problem", handle.problem()));
  }

  private static String text(Service service) {
    if (service instanceof Service.Stale stale) {
      return "Stale since " + stale.lastHeard();
    }
    if (service instanceof Service.Implausible implausible) {
      return "Implausible " + implausible.problem();
    }
    return service instanceof Service.NotReady notReady
        ? "NotReady " + notReady.conditionReason()
        : service.getClass().getSimpleName();
  }

  /** The devices of the inventory and of all claims. */
  private static TreeSet<String> devices(NodeLedger ledger) {
    TreeSet<String> uuids = new TreeSet<>(ledger.occupied());
    ledger.inventory().gpus().forEach(gpu -> uuids.add(gpu.uuid()));
    return uuids;
  }

  private static void device(ObjectNode json, String uuid, NodeLedger ledger) {
    json.put("uuid", uuid);
    ledger.inventory().gpus().stream()
        .filter(gpu -> gpu.uuid().equals(uuid))
        .map(Gpu::name)
        .findFirst()
        .ifPresent(name -> json.put("name", name));
    ArrayNode granted = json.putArray("granted");
    ArrayNode inFlight = json.putArray("inFlight");
    ledger
        .holds()
        .forEach(
            (uid, hold) -> {
              if (names(hold.inApi(), uuid)) {
                FindingJson.claim(granted.addObject(), hold.ref(), uid);
              }
              if (names(hold.inFlight().map(Hold.InFlight::grant), uuid)) {
                FindingJson.claim(inFlight.addObject(), hold.ref(), uid);
              }
            });
    ArrayNode prepared = json.putArray("prepared");
    preparedFor(ledger, uuid)
        .forEach(claim -> FindingJson.claim(prepared.addObject(), claim.ref(), claim.uid()));
  }

  private static boolean names(Optional<Grant> grant, String uuid) {
    return grant.stream()
        .flatMap(found -> found.devices().stream())
        .anyMatch(device -> device.uuid().equals(uuid));
  }

  private static Stream<PreparedClaim> preparedFor(NodeLedger ledger, String uuid) {
    return ledger.inventory().prepared().stream()
        .filter(claim -> claim.deviceUuids().contains(uuid));
  }
}
