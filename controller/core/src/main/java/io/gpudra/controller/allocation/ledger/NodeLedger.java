package io.gpudra.controller.allocation.ledger;

import static com.google.common.base.Predicates.not;
import static com.google.common.base.Suppliers.memoize;
import static com.google.common.collect.ImmutableSortedMap.toImmutableSortedMap;
import static java.util.Comparator.naturalOrder;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.usage.GpuUsage;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One node at one moment: its devices and their holders. Whether a device is occupied is computed
 * from these and never stored, so a restart loses nothing.
 */
public final class NodeLedger {
  /** More than the claims for which a node has room: it has given its GPUs other names. */
  public static final int MAX_HOLDS = 4_096;

  /** As many as a plugin prepares. */
  public static final int MAX_MONITORS = 512;

  private final Inventory inventory;
  private final ImmutableMap<ClaimUid, Hold> holds;
  private final ImmutableMap<ClaimUid, Unreadable> unreadable;
  private final ImmutableMap<ClaimUid, ClaimRef> unseen;
  private final boolean hasSpoken;

  private final LedgerFindings findings;
  private final Supplier<ImmutableList<DoubleGrant>> doubleGrants =
      memoize(() -> doubleGrants(holds().keySet()));
  private final Supplier<Integer> holdsWithDevices =
      memoize(() -> Math.toIntExact(holds().values().stream().filter(Hold::hasDevices).count()));
  private final Supplier<ImmutableMap<ClaimUid, ClaimRef>> surplus = memoize(this::findSurplus);

  private NodeLedger(
      Inventory inventory,
      ImmutableMap<ClaimUid, Hold> holds,
      ImmutableMap<ClaimUid, Unreadable> unreadable,
      ImmutableMap<ClaimUid, ClaimRef> unseen,
      boolean hasSpoken) {
    this.inventory = inventory;
    this.holds = holds;
    this.unreadable = unreadable;
    this.unseen = unseen;
    // A node without an inventory must report anew.
    this.hasSpoken = hasSpoken && !(inventory.service() instanceof Inventory.Service.Absent);
    this.findings = new LedgerFindings(inventory, holds, unseen, acceptsClaims());
  }

  /** A claim whose handle could not be read, and the problem. */
  public record Unreadable(ClaimRef ref, String problem) {}

  /** A node of which only the name is known. */
  public static NodeLedger unknown(String node) {
    NodeState state = NodeState.unknown(node);
    return of(
        new Inventory(
            state, "", "", ImmutableList.of(), ImmutableList.of(), new Inventory.Service.Absent()));
  }

  /** A node on which nothing is held. */
  public static NodeLedger of(Inventory inventory) {
    return new NodeLedger(
        inventory, ImmutableMap.of(), ImmutableMap.of(), ImmutableMap.of(), /* hasSpoken= */ false);
  }

  /** The devices of the node. */
  public Inventory inventory() {
    return inventory;
  }

  /** The holds by claim, also those of devices that the inventory does not list (any more). */
  public ImmutableMap<ClaimUid, Hold> holds() {
    return holds;
  }

  /** Claims with unknown devices of this node. */
  public ImmutableMap<ClaimUid, Unreadable> unreadable() {
    return unreadable;
  }

  /**
   * Claims that were allocated and never reported as prepared: the kubelet may know them without a
   * report of the node. A claim that holds nothing any more stays until the node has {@link
   * #spoken}, which a node without an inventory must do before it serves new claims.
   */
  public ImmutableMap<ClaimUid, ClaimRef> unseen() {
    return unseen;
  }

  /**
   * Whether the node has published its prepared claims since this process first knew it. From then
   * on, its claims that were allocated and released earlier are known.
   */
  public boolean hasSpoken() {
    return hasSpoken;
  }

  /** Whether the node serves new claims without having reported. */
  public boolean awaited() {
    return serving() && !hasSpoken;
  }

  /** The name of the node. */
  public String node() {
    return inventory.node().name();
  }

  /** Whether the node's plugin is alive and serves. */
  public boolean serving() {
    return inventory.service() instanceof Inventory.Service.Serving;
  }

  /** Whether the node serves, has not too many holds, and no claim has unknown devices of it. */
  public boolean acceptsClaims() {
    return serving() && unreadable.isEmpty() && !isOvercrowded();
  }

  /** Each change of a claim takes time for all holds of its node. */
  public boolean isOvercrowded() {
    return holds.size() > MAX_HOLDS && holdsWithDevices() > MAX_HOLDS;
  }

  /** The number of claims that hold devices: monitors hold none. */
  public int holdsWithDevices() {
    return holdsWithDevices.get();
  }

  /** The number of claims that monitor. */
  public int monitors() {
    return holds.size() - holdsWithDevices();
  }

  /**
   * UUIDs of devices in a grant, in a commit in flight, or in a prepared claim of the newest
   * inventory.
   */
  public ImmutableSet<String> occupied() {
    return findings.occupied();
  }

  /** UUIDs of devices that are prepared but not held: deallocated, but not yet unprepared. */
  public ImmutableSet<String> draining() {
    return findings.draining();
  }

  /**
   * UUIDs of held devices that the inventory does not list, by their claim. Empty without a
   * plausible inventory.
   */
  public ImmutableMap<ClaimUid, ImmutableSet<String>> lost() {
    return findings.lost();
  }

  /** Devices in conflicting grants of the API. */
  public ImmutableList<DoubleGrant> doubleGrants() {
    return doubleGrants.get();
  }

  /** The double grants of these claims' devices; none while the sizes of devices are unknown. */
  public ImmutableList<DoubleGrant> doubleGrants(Set<ClaimUid> claims) {
    return inventory.isPlausible() ? new DoubleGrants(this, claims).all() : ImmutableList.of();
  }

  /** Claims that can be deallocated: they are not prepared, and the others fit without them. */
  public ImmutableMap<ClaimUid, ClaimRef> surplus() {
    return surplus.get();
  }

  private ImmutableMap<ClaimUid, ClaimRef> findSurplus() {
    return doubleGrants().isEmpty()
        ? ImmutableMap.of()
        : new DoubleGrants(this, holds.keySet()).surplus();
  }

  /** Whether a claim holds less than a whole device. */
  public boolean sharesDevices() {
    return findings.sharesDevices();
  }

  /** Devices that could be allocated now: bit <i>i</i> stands for the node's device <i>i</i>. */
  public long freeMask() {
    return findings.freeMask();
  }

  /** The usage of each of the node's devices, in their order. */
  public ImmutableList<GpuUsage> usages() {
    return findings.usages();
  }

  /** The status of each of the node's devices, in their order. */
  public ImmutableList<GpuStatus> statuses() {
    return findings.statuses();
  }

  /** The status of {@link #lost} devices by their UUID. */
  public ImmutableSortedMap<String, GpuStatus> unlisted() {
    GpuStatus status =
        inventory.service() instanceof Inventory.Service.Absent ? GpuStatus.STALE : GpuStatus.LOST;
    return lost().values().stream()
        .flatMap(Set::stream)
        .distinct()
        .collect(toImmutableSortedMap(naturalOrder(), uuid -> uuid, uuid -> status));
  }

  /** UUIDs of devices that are prepared for the claim, which no longer holds them. */
  public ImmutableSet<String> leftoverDevices(PreparedClaim claim) {
    return findings.leftoverDevices(claim);
  }

  /** Whether a claim that the kubelet knows by this key is prepared or holds devices here. */
  public boolean knows(String kubeletKey) {
    return findings.names().contains(kubeletKey);
  }

  /** Claims that have devices of this node. */
  public Set<ClaimUid> claims() {
    return Sets.union(holds.keySet(), unreadable.keySet());
  }

  /** The name of one of {@link #claims}. */
  public ClaimRef ref(ClaimUid claim) {
    Unreadable handle = unreadable.get(claim);
    return handle == null ? requireNonNull(holds.get(claim)).ref() : handle.ref();
  }

  /** Whether the grant is of this node. */
  public boolean isOn(Grant grant) {
    return grant.node().equals(node());
  }

  /** The ledger with the newest inventory of the node. */
  public NodeLedger with(Inventory newer) {
    Set<ClaimUid> seen =
        newer.prepared().stream().map(PreparedClaim::uid).collect(Collectors.toSet());
    return new NodeLedger(newer, holds, unreadable, unseen(not(seen::contains)), hasSpoken);
  }

  /** The ledger as if no claims but these had devices. */
  public NodeLedger only(Set<ClaimUid> claims) {
    return new NodeLedger(
        inventory.only(claims),
        ImmutableMap.copyOf(Maps.filterKeys(holds, claims::contains)),
        unreadable,
        unseen(claims::contains),
        hasSpoken);
  }

  /** The ledger after the release of these claims, but not of those in flight. */
  public NodeLedger released(Set<ClaimUid> claims) {
    ImmutableMap.Builder<ClaimUid, Hold> left = ImmutableMap.builder();
    holds.forEach(
        (claim, hold) -> {
          Hold after = claims.contains(claim) ? hold.observed(hold.ref(), Optional.empty()) : hold;
          if (!after.isEmpty()) {
            left.put(claim, after);
          }
        });
    return new NodeLedger(
        inventory,
        left.buildOrThrow(),
        ImmutableMap.copyOf(Maps.filterKeys(unreadable, not(claims::contains))),
        unseen,
        hasSpoken);
  }

  /** The node has published all its prepared claims. */
  public NodeLedger spoken() {
    return new NodeLedger(
        inventory, holds, unreadable, unseen(holds::containsKey), /* hasSpoken= */ true);
  }

  private ImmutableMap<ClaimUid, ClaimRef> unseen(Predicate<ClaimUid> still) {
    return ImmutableMap.copyOf(Maps.filterKeys(unseen, still::test));
  }

  /** The ledger with the state of a claim in the API, as far as it concerns this node. */
  public NodeLedger observed(ClaimUid claim, ClaimRef ref, Optional<Grant> grantHere) {
    Hold before = holds.getOrDefault(claim, nothing(ref));
    return new NodeLedger(inventory, holds, except(unreadable, claim), unseen, hasSpoken)
        .with(claim, before.observed(ref, grantHere));
  }

  /** The API shows a handle of this node that cannot be read. */
  public NodeLedger observed(ClaimUid claim, Unreadable handle) {
    ImmutableMap<ClaimUid, Unreadable> handles =
        ImmutableMap.<ClaimUid, Unreadable>builder()
            .putAll(except(unreadable, claim))
            .put(claim, handle)
            .buildOrThrow();
    Hold before = holds.getOrDefault(claim, nothing(handle.ref()));
    return new NodeLedger(inventory, holds, handles, unseen, hasSpoken)
        .with(claim, before.observed(handle.ref(), Optional.empty()));
  }

  /** The ledger with one more grant, in flight. */
  public NodeLedger committed(ClaimRef ref, Grant grant, HoldOwner owner) {
    return with(grant.claim(), Hold.committed(ref, grant, owner));
  }

  /** The ledger after the owner's write, see {@link Hold#settled}. */
  public NodeLedger settled(ClaimUid claim, HoldOwner owner) {
    Hold hold = holds.get(claim);
    return hold == null || !hold.inFlightBy(owner) ? this : with(claim, hold.settled());
  }

  /** The ledger without the grant that this owner may release, see {@link Hold#released}. */
  public NodeLedger released(ClaimUid claim, HoldOwner owner) {
    Hold hold = holds.get(claim);
    return hold == null ? this : with(claim, hold.released(owner));
  }

  private boolean isGranted(ClaimUid claim) {
    Hold hold = holds.get(claim);
    return hold != null && hold.inApi().isPresent();
  }

  private boolean isPrepared(ClaimUid claim) {
    return inventory.prepared().stream().anyMatch(prepared -> prepared.uid().equals(claim));
  }

  private static Hold nothing(ClaimRef ref) {
    return new Hold(ref, Optional.empty(), Optional.empty());
  }

  private NodeLedger with(ClaimUid claim, Hold hold) {
    ImmutableMap<ClaimUid, Hold> others = except(holds, claim);
    ImmutableMap<ClaimUid, Hold> all =
        hold.isEmpty()
            ? others
            : ImmutableMap.<ClaimUid, Hold>builder().putAll(others).put(claim, hold).buildOrThrow();
    return new NodeLedger(inventory, all, unreadable, unseen(claim, hold), hasSpoken);
  }

  private ImmutableMap<ClaimUid, ClaimRef> unseen(ClaimUid claim, Hold hold) {
    if (hold.isEmpty() && inventory.service() instanceof Inventory.Service.Absent) {
      return unseen(not(claim::equals));
    }
    boolean granted = hold.inApi().isPresent() && !isGranted(claim);
    return !granted || isPrepared(claim)
        ? unseen
        : ImmutableMap.<ClaimUid, ClaimRef>builder()
            .putAll(unseen)
            .put(claim, hold.ref())
            .buildKeepingLast();
  }

  private static <V> ImmutableMap<ClaimUid, V> except(ImmutableMap<ClaimUid, V> all, ClaimUid one) {
    return all.containsKey(one) ? ImmutableMap.copyOf(Maps.filterKeys(all, not(one::equals))) : all;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NodeLedger ledger
        && inventory.equals(ledger.inventory)
        && holds.equals(ledger.holds)
        && unreadable.equals(ledger.unreadable)
        && unseen.equals(ledger.unseen)
        && hasSpoken == ledger.hasSpoken;
  }

  @Override
  public int hashCode() {
    return Objects.hash(inventory, holds, unreadable, unseen, hasSpoken);
  }

  @Override
  public String toString() {
    return "NodeLedger[%s, %s, %s, %s, %s]"
        .formatted(inventory, holds, unreadable, unseen, hasSpoken);
  }
}
