package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.collect.MoreCollectors.onlyElement;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import io.gpudra.kubeletplugin.checkpoint.CheckpointStore;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.ClaimState.Absent;
import io.gpudra.kubeletplugin.prepare.ClaimState.Fenced;
import io.gpudra.kubeletplugin.prepare.ClaimState.Holding;
import io.gpudra.kubeletplugin.prepare.ClaimState.Intended;
import io.gpudra.kubeletplugin.prepare.ClaimState.Prepared;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.step.CreatedMigDevice;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The checkpoint in memory. Not thread-safe by itself: {@link NodeClaims} guards it. */
final class CheckpointCache {

  /** The limit of the list in the inventory, where every held claim must be visible. */
  static final int MAX = 512;

  private final String bootId;
  private final CheckpointStore store;
  private final GpuDevices gpus;
  private final Map<ClaimUid, ClaimState> states = new TreeMap<>();
  private final Map<ClaimUid, Instant> orphans = new HashMap<>();
  private KubeletMemory memory;

  /** Whether there are notes that only this process has. */
  private boolean unwritten;

  CheckpointCache(Checkpoint initial, CheckpointStore store, GpuDevices gpus) {
    this.bootId = initial.bootId();
    this.store = store;
    this.gpus = gpus;
    this.memory = new KubeletMemory(initial.remembered());
    initial.claims().forEach((uid, entry) -> states.put(uid, stateOf(entry)));
  }

  private static ClaimState stateOf(Entry entry) {
    Holding held = new Holding(entry.ref(), entry.grant(), made(entry), entry.pods());
    return switch (entry.phase()) {
      case INTENDED -> new Intended(held);
      case PREPARED -> new Prepared(held);
    };
  }

  /** A process that died before its note created half at most; an older plugin noted none. */
  private static ImmutableMap<String, CreatedMigDevice> made(Entry entry) {
    CreatedMigDevice unknown =
        entry.phase() == Phase.INTENDED ? CreatedMigDevice.HALF_PERHAPS : CreatedMigDevice.ALL;
    return entry.grant().devices().stream()
        .flatMap(device -> CreatedMigDevice.nameOf(device).stream())
        .distinct()
        .collect(
            toImmutableMap(
                name -> name,
                name ->
                    Optional.ofNullable(entry.made().get(name))
                        .map(CreatedMigDevice::of)
                        .orElse(unknown)));
  }

  ClaimState state(ClaimUid uid) {
    return states.getOrDefault(uid, new Absent());
  }

  ImmutableMap<ClaimUid, ClaimState> snapshot() {
    return ImmutableMap.copyOf(states);
  }

  boolean doubts(PrepareRequest request) {
    ClaimUid uid = request.uid();
    return !request.grant().claim().equals(uid)
        || state(uid).doubts(request.grant(), memory.has(request.ref()));
  }

  boolean isFull() {
    return states.size() + memory.claims().size() >= MAX
        && listed(grant -> Optional.empty(), name -> true).size() >= MAX;
  }

  /** The claim that blocks the grant's devices, as a sentence for the events of the claim's pod. */
  Optional<String> obstacle(PrepareRequest request) {
    DeviceOccupancy occupancy = occupancy();
    return request.byGpu().asMap().values().stream()
        .flatMap(devices -> obstacle(occupancy, request, ImmutableList.copyOf(devices)).stream())
        .findFirst();
  }

  /** All holdings, including those not yet or no longer in use. */
  DeviceOccupancy occupancy() {
    return DeviceOccupancy.of(states);
  }

  private Optional<String> obstacle(
      DeviceOccupancy occupancy, PrepareRequest request, ImmutableList<GrantedDevice> devices) {
    GrantedDevice first = devices.get(0);
    return gpus.find(first.uuid())
        .flatMap(gpu -> occupancy.obstruction(gpu, request.uid(), devices))
        .map(
            deviceConflict ->
                sentence(first, deviceConflict, new NamespaceAudience(request.ref().namespace())));
  }

  private String sentence(
      GrantedDevice device, DeviceConflict deviceConflict, NamespaceAudience audience) {
    String named = "%s (%s)".formatted(device.name(), device.uuid());
    if (deviceConflict.claims().isEmpty()) {
      return named + " is not free: the GPU has MIG devices that are no claim's";
    }
    return "%s is still held by %s".formatted(named, holders(deviceConflict.claims(), audience));
  }

  private String holders(ImmutableSet<ClaimUid> claims, NamespaceAudience audience) {
    ImmutableMap<ClaimUid, ClaimRef> refs =
        Maps.toMap(claims, uid -> state(uid).holding().orElseThrow().ref());
    if (refs.size() == 1) {
      return refs.entrySet().stream()
          .map(only -> holder(only.getKey(), only.getValue(), audience))
          .collect(onlyElement());
    }
    String told = audience.describe(ImmutableSet.copyOf(refs.values()));
    return refs.values().stream().allMatch(audience::mayRead)
        ? told
        : told + ", see the node's NodeInventory";
  }

  private static String holder(ClaimUid uid, ClaimRef ref, NamespaceAudience audience) {
    return audience.mayRead(ref)
        ? "claim %s (UID %s)".formatted(ref, uid)
        : audience.describe(ref) + ", see the node's NodeInventory";
  }

  ImmutableSet<ClaimUid> underKey(ClaimRef ref) {
    return states.entrySet().stream()
        .filter(e -> e.getValue().holding().filter(h -> sameKey(h.ref(), ref)).isPresent())
        .map(Map.Entry::getKey)
        .collect(toImmutableSet());
  }

  private static boolean sameKey(ClaimRef one, ClaimRef other) {
    return one.kubeletKey().equals(other.kubeletKey());
  }

  String deviceNames(ClaimUid uid) {
    return state(uid).holding().stream()
        .flatMap(held -> held.grant().devices().stream())
        .map(GrantedDevice::name)
        .collect(joining(", "));
  }

  KubeletMemory memory() {
    return memory;
  }

  /** The kubelet has forgotten the name, so the cache does, too. On refusal it still has it. */
  Optional<PrepareRefusal> forgetName(ClaimRef ref) {
    KubeletMemory before = memory;
    memory = before.without(ref);
    Optional<PrepareRefusal> unwritten = save();
    memory = unwritten.isPresent() ? before : memory;
    return unwritten;
  }

  /** Changes a claim and writes this down; falls back as given when it cannot be written. */
  Optional<PrepareRefusal> change(ClaimUid uid, ClaimState next, ClaimState onFailure) {
    put(uid, next);
    Optional<PrepareRefusal> unwritten = save();
    if (unwritten.isPresent()) {
      put(uid, onFailure);
    }
    return unwritten;
  }

  /** Writes the checkpoint again when its file was removed. */
  Optional<PrepareRefusal> restore() {
    return store.lost() ? save() : Optional.empty();
  }

  private Optional<PrepareRefusal> save() {
    try {
      store.save(checkpoint());
      unwritten = false;
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.of(
          new PrepareRefusal(PrepareRefusal.Kind.FAILED, String.valueOf(e.getMessage())));
    }
  }

  /** Notes what was created for a claim; written with the next change or {@link #writeNotes}. */
  void note(ClaimUid uid, String device, CreatedMigDevice createdMigDevice) {
    know(uid, held -> held.with(device, createdMigDevice));
  }

  /** Notes the pods that may use a claim, like {@link #note}. */
  void usedBy(ClaimUid uid, Set<String> pods) {
    know(uid, held -> held.usedBy(pods));
  }

  private void know(ClaimUid uid, UnaryOperator<Holding> more) {
    ClaimState before = state(uid);
    ClaimState after = before.holding().map(more).map(before::with).orElse(before);
    put(uid, after);
    unwritten |= !after.equals(before);
  }

  /** Containers may begin to use the claim, from now on or again. */
  void open(ClaimUid uid) {
    state(uid).holding().ifPresent(held -> put(uid, new Prepared(held)));
  }

  /**
   * No further container may begin to use the claim.
   *
   * @param there UIDs of pods that may already use it
   */
  Optional<PrepareRefusal> fence(ClaimUid uid, Set<String> there) {
    Holding held = state(uid).holding().orElseThrow();
    put(uid, new Fenced(held, held.mayHaveIt(there)));
    memory = memory.prepared(held.ref());
    return save();
  }

  /** Claims that the kubelet may never unprepare: it counts pods of an earlier boot by name. */
  ImmutableMap<ClaimUid, LostClaim> lost() {
    ImmutableMap.Builder<ClaimUid, LostClaim> lost = ImmutableMap.builder();
    states.forEach(
        (uid, state) ->
            state
                .holding()
                .filter(held -> !(state instanceof Intended))
                .map(held -> new LostClaim(held, memory.has(held.ref()), gone(uid), watched(state)))
                .ifPresent(one -> lost.put(uid, one)));
    return lost.buildOrThrow();
  }

  private Optional<Instant> gone(ClaimUid uid) {
    return Optional.ofNullable(orphans.get(uid));
  }

  private static Optional<ImmutableSet<String>> watched(ClaimState state) {
    return state instanceof Fenced fenced ? Optional.of(fenced.watched()) : Optional.empty();
  }

  /** Writes the notes since the last write. */
  Optional<PrepareRefusal> writeNotes() {
    return unwritten ? save() : Optional.empty();
  }

  /** Changes a claim in memory only. */
  void put(ClaimUid uid, ClaimState state) {
    if (state.holding().isPresent()) {
      states.put(uid, state);
    } else {
      states.remove(uid);
      orphans.remove(uid);
    }
  }

  private Checkpoint checkpoint() {
    ImmutableMap.Builder<ClaimUid, Entry> entries = ImmutableMap.builder();
    states.forEach(
        (uid, state) -> state.holding().ifPresent(held -> entries.put(uid, entry(state, held))));
    return new Checkpoint(bootId, entries.buildOrThrow(), memory.claims());
  }

  private static Entry entry(ClaimState state, Holding held) {
    Phase phase = state instanceof Intended ? Phase.INTENDED : Phase.PREPARED;
    ImmutableMap.Builder<String, String> notes = ImmutableMap.builder();
    held.made()
        .forEach(
            (device, createdMigDevice) ->
                createdMigDevice.note().ifPresent(note -> notes.put(device, note)));
    return new Entry(phase, held.ref(), held.grant(), notes.buildOrThrow(), held.pods());
  }

  /** Records whether the claim's API object is gone; returns whether this is a change. */
  boolean orphaned(ClaimUid uid, boolean gone, Instant now) {
    boolean news = states.containsKey(uid) && gone != orphans.containsKey(uid);
    if (news && gone) {
      orphans.put(uid, now);
    } else if (news) {
      orphans.remove(uid);
    }
    return news;
  }

  ImmutableList<PreparedClaim> describe() {
    return describe(grant -> Optional.empty());
  }

  /**
   * All claims.
   *
   * @param queue the reason why containers with a grant wait
   */
  ImmutableList<PreparedClaim> describe(Function<Grant, Optional<String>> queue) {
    ImmutableList.Builder<PreparedClaim> all = ImmutableList.builder();
    states.forEach(
        (uid, state) ->
            state
                .holding()
                .map(held -> describe(uid, held).waiting(queue.apply(held.grant())))
                .ifPresent(all::add));
    return all.build();
  }

  /**
   * Like {@link #describe}, plus the claims that the kubelet remembers under other names, without
   * devices.
   *
   * @param also which of these
   */
  ImmutableList<PreparedClaim> listed(
      Function<Grant, Optional<String>> queue, Predicate<Remembered> also) {
    ImmutableList.Builder<PreparedClaim> all = ImmutableList.builder();
    all.addAll(describe(queue));
    memory.claims().stream()
        .filter(claim -> also.test(claim) && underKey(claim.ref()).isEmpty())
        .map(
            claim ->
                new PreparedClaim(
                    claim.grant().claim(), claim.ref(), ImmutableSet.of(), Optional.empty()))
        .forEach(all::add);
    return all.build();
  }

  private PreparedClaim describe(ClaimUid uid, Holding held) {
    return new PreparedClaim(
        uid,
        held.ref(),
        held.grant().devices().stream().map(GrantedDevice::part).collect(toImmutableList()),
        gone(uid));
  }
}
