package io.gpudra.controller.check;

import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static java.util.Comparator.naturalOrder;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.ledger.TaintedDevice;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds inconsistencies between one node's ledger and inventory. */
public final class NodeCheck {
  /** All kinds of findings of this class. */
  public static final ImmutableSet<Kind> KINDS =
      ImmutableSet.of(
          Kind.DOUBLE_GRANT,
          Kind.UNREADABLE_HANDLE,
          Kind.STRAY_HANDLE,
          Kind.NODE_GONE,
          Kind.DEVICE_LOST,
          Kind.DEVICE_UNHEALTHY,
          Kind.SHARING_WAITS,
          Kind.DRAINING,
          Kind.ORPHANED,
          Kind.NODE_STALE,
          Kind.INVENTORY_IMPLAUSIBLE,
          Kind.NODE_NOT_JUDGED);

  private final NodeLedger ledger;
  private final Predicate<PreparedClaim> exists;

  /**
   * @param exists whether the API server still has this claim
   */
  private NodeCheck(NodeLedger ledger, Predicate<PreparedClaim> exists) {
    this.ledger = ledger;
    this.exists = exists;
  }

  /**
   * All findings of a node.
   *
   * @param exists whether the API server still has this claim
   */
  public static ImmutableList<Finding> of(NodeLedger ledger, Predicate<PreparedClaim> exists) {
    return FaultIsolation.evaluate(
        () -> new NodeCheck(ledger, exists).findings().collect(ImmutableList.toImmutableList()),
        why ->
            ImmutableList.of(
                ofNode(ledger, Kind.NODE_NOT_JUDGED, why + "; nothing else is known of the node")));
  }

  /** A finding without claims and devices. */
  private static Finding ofNode(NodeLedger ledger, Kind kind, String what) {
    return new Finding(kind, ledger.node(), ImmutableSortedMap.of(), ImmutableSortedSet.of(), what);
  }

  private Stream<Finding> findings() {
    return Stream.of(
            doubleGrants(),
            unreadable(),
            strayHandles(),
            grantsWithoutDevice(),
            unhealthy(),
            waiting(),
            leftovers(),
            stale(),
            implausible())
        .flatMap(found -> found);
  }

  private Stream<Finding> doubleGrants() {
    return ledger.doubleGrants().stream().map(this::doubleGrant);
  }

  private Finding doubleGrant(DoubleGrant twice) {
    return new Finding(
        Kind.DOUBLE_GRANT,
        ledger.node(),
        twice.claims(),
        ImmutableSortedSet.of(twice.deviceUuid()),
        "allocated to %d claims at once".formatted(twice.claims().size()));
  }

  private Stream<Finding> unreadable() {
    return ledger.unreadable().entrySet().stream()
        .map(
            entry ->
                found(
                    Kind.UNREADABLE_HANDLE,
                    entry.getKey(),
                    entry.getValue().ref(),
                    ImmutableSortedSet.of(),
                    entry.getValue().problem() + "; the node gets no new allocations"));
  }

  private Stream<Finding> strayHandles() {
    return granted().filter(NodeCheck::stray).map(this::strayHandle);
  }

  private Stream<Map.Entry<ClaimUid, Hold>> granted() {
    return ledger.holds().entrySet().stream().filter(held -> held.getValue().inApi().isPresent());
  }

  private static boolean stray(Map.Entry<ClaimUid, Hold> held) {
    return !grant(held).claim().equals(held.getKey());
  }

  private static Grant grant(Map.Entry<ClaimUid, Hold> held) {
    return held.getValue().inApi().orElseThrow();
  }

  private Finding strayHandle(Map.Entry<ClaimUid, Hold> held) {
    return found(
        Kind.STRAY_HANDLE, held, "the handle belongs to the claim with UID " + grant(held).claim());
  }

  private Stream<Finding> grantsWithoutDevice() {
    return ledger.inventory().service() instanceof Service.Absent
        ? granted().map(this::onGoneNode)
        : ledger.lost().entrySet().stream().map(entry -> lost(entry.getKey(), entry.getValue()));
  }

  private Finding onGoneNode(Map.Entry<ClaimUid, Hold> held) {
    return found(
        Kind.NODE_GONE,
        held,
        "allocated on a node without a Node object or without an inventory of this driver");
  }

  private static Stream<String> uuids(Grant grant) {
    return grant.devices().stream().map(GrantedDevice::uuid);
  }

  private Finding lost(ClaimUid claim, Iterable<String> devices) {
    Hold hold = requireNonNull(ledger.holds().get(claim));
    return found(
        Kind.DEVICE_LOST,
        claim,
        hold.ref(),
        ImmutableSortedSet.copyOf(devices),
        "allocated, but not listed in the node's inventory");
  }

  private Stream<Finding> unhealthy() {
    return TaintedDevice.of(ledger).flatMap(one -> unhealthy(one, reasons(one)));
  }

  private static String reasons(TaintedDevice device) {
    return device.taints().stream()
        .filter(DeviceTaint::concernsHealth)
        .map(DeviceTaint::reason)
        .collect(Collectors.joining("; "));
  }

  private Stream<Finding> unhealthy(TaintedDevice device, String reasons) {
    return reasons.isEmpty()
        ? Stream.empty()
        : device
            .holders()
            .map(
                held ->
                    found(
                        Kind.DEVICE_UNHEALTHY,
                        held.getKey(),
                        held.getValue().ref(),
                        ImmutableSortedSet.of(device.gpu().uuid()),
                        "%s: %s".formatted(device.name(), reasons)));
  }

  /** Only for claims that are allocated on the node. */
  private Stream<Finding> waiting() {
    return ledger.inventory().prepared().stream()
        .filter(claim -> claim.waits().isPresent())
        .flatMap(
            claim ->
                Stream.ofNullable(ledger.holds().get(claim.uid()))
                    .map(
                        hold ->
                            found(
                                Kind.SHARING_WAITS,
                                claim.uid(),
                                hold.ref(),
                                ImmutableSortedSet.copyOf(claim.deviceUuids()),
                                claim.waits().get())));
  }

  private Stream<Finding> leftovers() {
    return ledger.inventory().prepared().stream()
        .filter(claim -> !ledger.unreadable().containsKey(claim.uid()))
        .flatMap(claim -> leftover(claim, ledger.leftoverDevices(claim)));
  }

  private Stream<Finding> leftover(PreparedClaim claim, ImmutableSet<String> devices) {
    if (devices.isEmpty()) {
      return Stream.empty();
    }
    boolean there = exists.test(claim);
    return Stream.of(
        found(
            there ? Kind.DRAINING : Kind.ORPHANED,
            claim.uid(),
            claim.ref(),
            ImmutableSortedSet.copyOf(devices),
            there
                ? "prepared, but no longer allocated to the claim"
                : "prepared, but the claim is gone"));
  }

  private Stream<Finding> stale() {
    return ledger.inventory().service() instanceof Service.Stale stale
        ? Stream.of(
            ofNode(
                ledger,
                Kind.NODE_STALE,
                "its plugin last published at %s; it gets no new allocations"
                    .formatted(stale.lastHeard())))
        : Stream.empty();
  }

  private Stream<Finding> implausible() {
    return ledger.inventory().service() instanceof Service.Implausible implausible
        ? Stream.of(
            ofNode(
                ledger,
                Kind.INVENTORY_IMPLAUSIBLE,
                implausible.problem() + "; it gets no new allocations"))
        : Stream.empty();
  }

  private Finding found(Kind kind, Map.Entry<ClaimUid, Hold> held, String what) {
    ImmutableSortedSet<String> devices =
        uuids(grant(held)).collect(toImmutableSortedSet(naturalOrder()));
    return found(kind, held.getKey(), held.getValue().ref(), devices, what);
  }

  private Finding found(
      Kind kind, ClaimUid uid, ClaimRef ref, ImmutableSortedSet<String> devices, String what) {
    return new Finding(kind, ledger.node(), ImmutableSortedMap.of(uid, ref), devices, what);
  }
}
