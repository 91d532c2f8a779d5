package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import io.gpudra.kubeletplugin.prepare.ClaimState.Absent;
import io.gpudra.kubeletplugin.prepare.ClaimState.Holding;
import io.gpudra.kubeletplugin.prepare.ClaimState.Intended;
import io.gpudra.kubeletplugin.prepare.ClaimState.Prepared;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.step.CreatedMigDevice;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims that hold devices of this node, under one lock. The lock is held for the write of one
 * file at most.
 *
 * <p>A claim that a call works on is <em>taken</em>: no other call changes it until it is left. A
 * call that has taken a claim does not wait for another one.
 */
final class NodeClaims {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private final CheckpointCache held;
  private final Set<ClaimUid> busy = new HashSet<>();
  private final Set<ClaimUid> undoing = new HashSet<>();
  private final Map<ClaimUid, PrepareCall> unanswered = new HashMap<>();

  private boolean namesListed = true;

  private volatile Runnable listener = () -> {};

  NodeClaims(CheckpointCache held) {
    this.held = held;
  }

  void onChange(Runnable action) {
    listener = action;
  }

  // ---- one claim at a time

  /**
   * Locks the claim for a prepare call. A claim without devices gets them, and this is written
   * down. Waits until the limit while other claims or calls block it.
   */
  PrepareDecision enter(PrepareRequest request, PrepareCall call, long limitNanos)
      throws InterruptedException {
    call.onCancel(this::signalAll);
    PrepareDecision prepareDecision;
    lock.lock();
    try {
      prepareDecision = decide(request, call);
      while (prepareDecision.kind() == PrepareDecision.Kind.WAIT
          && remainingNanos(limitNanos) > 0) {
        changed.await(remainingNanos(limitNanos), TimeUnit.NANOSECONDS);
        prepareDecision = decide(request, call);
      }
    } finally {
      lock.unlock();
    }
    if (prepareDecision.kind() == PrepareDecision.Kind.BEGIN) {
      listener.run();
    }
    return prepareDecision;
  }

  private PrepareDecision decide(PrepareRequest request, PrepareCall call) {
    if (call.cancelled()) {
      return PrepareDecision.refused(PrepareRefusal.Kind.CANCELLED, "the call was cancelled");
    }
    ClaimUid uid = request.uid();
    if (busy.contains(uid)) {
      return PrepareDecision.waitFor("another call is working on claim " + request.ref());
    }
    if (mayBeOutdated(request)) {
      return PrepareDecision.ASK_FIRST;
    }
    return switch (held.state(uid).onPrepare(request.grant())) {
      case BEGIN -> begin(request, call);
      case UNDO_FIRST -> lockWith(uid, PrepareDecision.UNDO_FIRST);
      case REUSE -> reuse(request, call);
      case REFUSE ->
          PrepareDecision.refused(
              PrepareRefusal.Kind.INVALID,
              "claim %s is prepared with other devices, %s"
                  .formatted(request.ref(), held.deviceNames(uid)));
    };
  }

  private PrepareDecision begin(PrepareRequest request, PrepareCall call) {
    if (held.isFull()) {
      return PrepareDecision.refused(
          PrepareRefusal.Kind.BUSY,
          "%d claims are prepared on this node, as many as it may have at a time"
              .formatted(CheckpointCache.MAX));
    }
    Optional<String> obstacle = held.obstacle(request);
    if (obstacle.isPresent()) {
      return PrepareDecision.waitFor(obstacle.get());
    }
    ClaimUid uid = request.uid();
    Intended intended = new Intended(Holding.of(request));
    Optional<PrepareRefusal> unwritten = held.change(uid, intended, new Absent());
    if (unwritten.isPresent()) {
      return new PrepareDecision(PrepareDecision.Kind.REFUSED, unwritten.get());
    }
    unanswered.put(uid, call);
    return lockWith(uid, PrepareDecision.BEGIN);
  }

  private PrepareDecision reuse(PrepareRequest request, PrepareCall call) {
    ClaimUid uid = request.uid();
    held.open(uid);
    request.pods().ifPresent(pods -> held.usedBy(uid, pods.users()));
    // An earlier caller that is not gone may already have its answer: then no call may undo it.
    unanswered.computeIfPresent(uid, (key, earlier) -> earlier.cancelled() ? call : null);
    return lockWith(uid, PrepareDecision.REUSE);
  }

  private PrepareDecision lockWith(ClaimUid uid, PrepareDecision prepareDecision) {
    busy.add(uid);
    return prepareDecision;
  }

  /** Takes the claim in any state; false when other calls had it until the limit. */
  boolean lock(ClaimUid uid, long limitNanos) throws InterruptedException {
    lock.lock();
    try {
      while (busy.contains(uid)) {
        if (remainingNanos(limitNanos) <= 0) {
          return false;
        }
        changed.await(remainingNanos(limitNanos), TimeUnit.NANOSECONDS);
      }
      busy.add(uid);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends what {@code enter} or {@code lock} began. */
  void unlock(ClaimUid uid) {
    change(
        () -> {
          busy.remove(uid);
          changed.signalAll();
        });
    listener.run();
  }

  private static long remainingNanos(long limitNanos) {
    return limitNanos - System.nanoTime();
  }

  private void signalAll() {
    change(changed::signalAll);
  }

  // ---- changes to a claim that the caller has taken

  /** The claim's devices are usable from now on. On refusal it is as before. */
  Optional<PrepareRefusal> prepared(ClaimUid uid) {
    return locked(
        () -> {
          ClaimState before = held.state(uid);
          return before.holding().flatMap(h -> held.change(uid, new Prepared(h), before));
        });
  }

  /**
   * The claim is about to be undone completely, so it no longer needs what it shares with others.
   * Otherwise two claims that are undone at once would each leave that to the other.
   */
  void markUndoing(ClaimUid uid) {
    change(() -> undoing.add(uid));
  }

  /** No container uses the claim's devices from now on. On refusal it is as before. */
  Optional<PrepareRefusal> intended(ClaimUid uid) {
    return locked(
        () -> {
          unanswered.remove(uid);
          ClaimState before = held.state(uid);
          return before.holding().flatMap(h -> held.change(uid, new Intended(h), before));
        });
  }

  /** The note on the MIG device that was created for the claim. */
  CreatedMigDevice made(ClaimUid uid, String device) {
    return state(uid).holding().map(held -> held.made(device)).orElse(CreatedMigDevice.NOTHING);
  }

  /** Notes the MIG device; call {@link CheckpointCache#writeNotes} afterwards. */
  void note(ClaimUid uid, String device, CreatedMigDevice createdMigDevice) {
    change(() -> held.note(uid, device, createdMigDevice));
  }

  /** The devices of all other claims, also of those being undone. Needs the lock of the GPU. */
  DeviceOccupancy heldBeside(ClaimUid uid) {
    return occupancy(other -> !other.equals(uid));
  }

  /** The devices of other claims that are not being undone. Needs the lock of the GPU. */
  DeviceOccupancy neededBeside(ClaimUid uid) {
    return occupancy(other -> !other.equals(uid) && !undoing.contains(other));
  }

  /** The devices of other claims that are being undone. Needs the lock of the GPU. */
  DeviceOccupancy undoingBeside(ClaimUid uid) {
    return occupancy(other -> !other.equals(uid) && undoing.contains(other));
  }

  private DeviceOccupancy occupancy(Predicate<ClaimUid> counted) {
    return locked(() -> DeviceOccupancy.of(Maps.filterKeys(held.snapshot(), counted::test)));
  }

  /** The claim holds nothing from now on. On refusal it must be undone again. */
  Optional<PrepareRefusal> forget(ClaimUid uid) {
    return locked(
        () -> {
          unanswered.remove(uid);
          Optional<PrepareRefusal> unwritten =
              held.state(uid)
                  .holding()
                  .flatMap(h -> held.change(uid, new Absent(), new Intended(h)));
          if (unwritten.isEmpty()) {
            undoing.remove(uid);
          }
          return unwritten;
        });
  }

  /** Something of the claim is left after an undo: it keeps its devices until a later undo. */
  void markPartlyUndone(ClaimUid uid) {
    change(() -> held.state(uid).holding().ifPresent(h -> held.put(uid, new Intended(h))));
  }

  /** The claim is not undone after all, and containers may use it. */
  void undoCancelled(ClaimUid uid) {
    change(
        () -> {
          undoing.remove(uid);
          held.open(uid);
        });
  }

  /**
   * Runs an action for a prepared claim while no call works on it, and blocks all calls meanwhile.
   *
   * @param action as short as a write of the checkpoint
   */
  Optional<PrepareRefusal> ifIdle(ClaimUid uid, Supplier<Optional<PrepareRefusal>> action) {
    return locked(
        () ->
            held.state(uid) instanceof Prepared && !busy.contains(uid)
                ? action.get()
                : Optional.empty());
  }

  // ---- what the kubelet remembers

  /**
   * Whether the request's grant may be outdated. The kubelet keeps handles by name, so it may also
   * send that of an earlier claim of the name.
   */
  boolean mayBeOutdated(PrepareRequest request) {
    return !request.live() && locked(() -> held.doubts(request));
  }

  /** Claims of earlier boots that the kubelet may still have. */
  ImmutableList<Remembered> remembered() {
    return locked(() -> held.memory().claims());
  }

  /** The remembered names are no longer listed: the kubelet calls before it uses one. */
  void release() {
    change(() -> namesListed = false);
    listener.run();
  }

  /** The kubelet has nothing under the key of this name any more. */
  Optional<PrepareRefusal> forgetName(ClaimRef ref) {
    if (!locked(() -> held.memory().has(ref))) {
      return Optional.empty();
    }
    Optional<PrepareRefusal> unwritten = locked(() -> held.forgetName(ref));
    listener.run();
    return unwritten;
  }

  // ---- answers

  /** The kubelet has the answer: from now on only unprepare undoes these claims. */
  void answered(Iterable<ClaimUid> uids) {
    change(() -> uids.forEach(unanswered::remove));
  }

  /** Whether the call prepared the claim and no caller can have the answer. */
  boolean unanswered(ClaimUid uid, PrepareCall call) {
    return locked(() -> unanswered.get(uid) == call);
  }

  /** Records whether the claim's API object is gone; returns whether this is a change. */
  boolean orphaned(ClaimUid uid, boolean gone, Instant now) {
    boolean news = locked(() -> held.orphaned(uid, gone, now));
    if (news) {
      listener.run();
    }
    return news;
  }

  // ---- views

  ClaimState state(ClaimUid uid) {
    return locked(() -> held.state(uid));
  }

  /** The claim itself, then every other idle claim under the same key of the kubelet. */
  ImmutableSet<ClaimUid> namedLike(ClaimUid uid, ClaimRef ref) {
    ImmutableSet.Builder<ClaimUid> found = ImmutableSet.<ClaimUid>builder().add(uid);
    return locked(
        () -> {
          held.underKey(ref).stream().filter(u -> !busy.contains(u)).forEach(found::add);
          return found.build();
        });
  }

  /** All claims that hold devices, ordered by UID. */
  ImmutableMap<ClaimUid, ClaimState> snapshot() {
    return locked(held::snapshot);
  }

  /** These GPUs, with the claims for which their MIG devices were created. */
  ImmutableList<Gpu> withOwners(ImmutableList<Gpu> gpus) {
    DeviceOccupancy occupancy = locked(held::occupancy);
    return gpus.stream().map(occupancy::withOwners).collect(toImmutableList());
  }

  /** Like {@link #snapshot}, for the inventory. */
  ImmutableList<PreparedClaim> describe() {
    return locked(held::describe);
  }

  /** Like {@link #describe}, with the names that no claim may have here. */
  ImmutableList<PreparedClaim> listed(Function<Grant, Optional<String>> queue) {
    return locked(() -> held.listed(queue, name -> namesListed || name.prepared()));
  }

  /** Reads or changes the holdings, under the lock. */
  <T extends @Nullable Object> T with(Function<CheckpointCache, T> action) {
    return locked(() -> action.apply(held));
  }

  private void change(Runnable action) {
    locked(
        () -> {
          action.run();
          return null;
        });
  }

  private <T extends @Nullable Object> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }
}
