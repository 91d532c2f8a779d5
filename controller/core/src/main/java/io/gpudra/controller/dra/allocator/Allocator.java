package io.gpudra.controller.dra.allocator;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Later;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Limited;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Open;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Refused;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.allocator.BatchMember.State;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.PodRef;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Allocates claims together: reserves devices for all or none, writes all finalizers, then all
 * allocations. A batch without a clear answer stays open under its work's key, and keeps its claims
 * and devices until {@link #resume} settles it.
 */
public final class Allocator<P> {
  private final Driver<P> driver;
  private final GrantWriter writer;
  private final ClaimLocks claimLocks;
  private final WriteRejectionBackoff rejections;
  private final ClaimFeed feed;
  private final Consumer<WorkKey> committed;

  /** Batches that are not settled. Only the worker with the key uses an entry. */
  private final Map<WorkKey, StartedBatch<P>> open = new ConcurrentHashMap<>();

  /**
   * {@code mayBeWritten}: grants may have been written, so a lost member does not abort the rest.
   */
  private record StartedBatch<P>(
      ImmutableList<PendingClaim<P>> pending, Batch batch, boolean mayBeWritten) {
    StartedBatch<P> beforeGrants(Batch now) {
      return new StartedBatch<>(pending, now, /* mayBeWritten= */ false);
    }

    StartedBatch<P> duringGrants(Batch now) {
      return new StartedBatch<>(pending, now, /* mayBeWritten= */ true);
    }
  }

  /**
   * An allocator without an open batch.
   *
   * @param committed is told of work for which devices are held, before anything is written
   */
  public Allocator(
      Driver<P> driver,
      GrantWriter writer,
      ClaimLocks claimLocks,
      WriteRejectionBackoff rejections,
      ClaimFeed feed,
      Consumer<WorkKey> committed) {
    this.driver = driver;
    this.writer = writer;
    this.claimLocks = claimLocks;
    this.rejections = rejections;
    this.feed = feed;
    this.committed = committed;
  }

  /**
   * Allocates these claims for this work, as far as possible now.
   *
   * @param reserveFor the pod that uses the claims; absent in Immediate mode
   */
  public Attempt allocate(
      WorkKey work,
      ImmutableList<PendingClaim<P>> pending,
      NodeChoice where,
      Optional<PodRef> reserveFor) {
    return allocate(
        work,
        pending,
        () -> Reserved.of(driver.allocate(pending, where, work.owner())),
        reserveFor.map(pod -> Maps.toMap(uids(pending), unused -> pod)).orElse(ImmutableMap.of()));
  }

  /**
   * Allocates claims of one or several pods.
   *
   * @param reserve reserves devices for all claims or none, under the owner of this work
   * @param reserveFor the pods that use claims
   */
  public Attempt allocate(
      WorkKey work,
      ImmutableList<PendingClaim<P>> pending,
      Supplier<Reserved> reserve,
      ImmutableMap<ClaimUid, PodRef> reserveFor) {
    ImmutableSet<ClaimUid> uids = uids(pending);
    if (!claimLocks.acquire(uids, work)) {
      return new Later(ControllerDelays.WITHOUT_EVENT);
    }
    try {
      Duration pause = pause(pending);
      return pause.isZero() ? begin(work, pending, reserve, reserveFor) : new Later(pause);
    } finally {
      if (!open.containsKey(work)) {
        claimLocks.release(uids, work);
      }
    }
  }

  /** Resumes the open batch of this work; no open batch counts as settled. */
  public Attempt resume(WorkKey work) {
    StartedBatch<P> started = open.get(work);
    if (started == null) {
      return new Settled(ImmutableMap.of(), ImmutableList.of());
    }
    Batch batch = started.mayBeWritten() ? started.batch() : addFinalizers(work, started);
    // Once grants are written, the writer adds a finalizer that was removed meanwhile.
    if (batch.open() && (started.mayBeWritten() || batch.haveFinalizers())) {
      // Before the first grant is written: from here on, one may have been stored.
      open.put(work, started.duringGrants(batch));
      ImmutableMap<ClaimUid, PodRef> pods = batch.reserveFor();
      batch = each(batch, member -> writer.allocate(member, pod(pods, member)));
      open.put(work, started.duringGrants(batch));
    }
    return batch.open() ? new Open() : settle(work, started.pending(), batch);
  }

  public int size() {
    return open.size();
  }

  private Batch addFinalizers(WorkKey work, StartedBatch<P> started) {
    Batch batch = each(started.batch(), writer::addFinalizer);
    Batch now = batch.lostOne() ? batch.abort() : batch;
    open.put(work, started.beforeGrants(now));
    return now;
  }

  private Attempt begin(
      WorkKey work,
      ImmutableList<PendingClaim<P>> pending,
      Supplier<Reserved> reserve,
      ImmutableMap<ClaimUid, PodRef> reserveFor) {
    Reserved reserved = orGiveBack(work, pending, reserve);
    if (reserved instanceof Reserved.No no) {
      return no.attempt();
    }
    ImmutableList<BatchMember> members =
        orGiveBack(work, pending, () -> members(pending, (Reserved.Handles) reserved));
    Batch batch = new Batch(reserveFor, members);
    open.put(work, new StartedBatch<>(pending, batch, /* mayBeWritten= */ false));
    committed.accept(work);
    return resume(work);
  }

  private static Optional<PodRef> pod(ImmutableMap<ClaimUid, PodRef> pods, BatchMember member) {
    return Optional.ofNullable(pods.get(member.seen().uid()));
  }

  private static <P> ImmutableList<BatchMember> members(
      ImmutableList<PendingClaim<P>> pending, Reserved.Handles handles) {
    return pending.stream()
        .map(PendingClaim::claim)
        .map(claim -> BatchMember.open(claim, handles.of(claim.uid())))
        .collect(ImmutableList.toImmutableList());
  }

  /** Releases the devices after a failure, since no open batch holds them yet. */
  private <T> T orGiveBack(WorkKey work, ImmutableList<PendingClaim<P>> pending, Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException defect) {
      uids(pending).forEach(claim -> driver.release(claim, work.owner()));
      throw defect;
    }
  }

  /**
   * The delay until the claims may be allocated; zero if now. The pass may have read them before it
   * owned them, and a former owner may have written one since.
   */
  private Duration pause(ImmutableList<PendingClaim<P>> pending) {
    boolean unchanged = pending.stream().map(PendingClaim::claim).allMatch(writer::unchanged);
    return unchanged ? rejections.pause(pending) : ControllerDelays.WITHOUT_EVENT;
  }

  private Batch each(Batch batch, UnaryOperator<BatchMember> step) {
    return batch.with(writer.each(batch.members(), step));
  }

  private Settled settle(WorkKey work, ImmutableList<PendingClaim<P>> pending, Batch batch) {
    HoldOwner owner = work.owner();
    rejections.add(pending, batch.rejected());
    for (BatchMember member : batch.members()) {
      ClaimUid claim = member.seen().uid();
      if (member.lost()) {
        driver.release(claim, owner);
      } else {
        driver.granted(claim, owner);
      }
      // Events of the claim had no effect while it was reserved: pass on the newest state.
      feed.refresh(member.seen().ref(), claim);
    }
    open.remove(work);
    claimLocks.release(batch.uids(), work);
    return new Settled(batch.reserveFor(), batch.members());
  }

  private ImmutableSet<ClaimUid> uids(ImmutableList<PendingClaim<P>> pending) {
    return pending.stream().map(one -> one.claim().uid()).collect(ImmutableSet.toImmutableSet());
  }

  /** The result of a reservation in the driver's memory. */
  public sealed interface Reserved {

    /** Held for all claims. */
    record Handles(ImmutableMap<ClaimUid, ResourceHandle> handles) implements Reserved {

      private ResourceHandle of(ClaimUid claim) {
        return Optional.ofNullable(handles.get(claim))
            .orElseThrow(
                () -> new IllegalStateException("devices are held, but not for claim " + claim));
      }
    }

    /** Nothing is held; the end of the attempt. */
    record No(Attempt attempt) implements Reserved {}

    /** The same of one pod. */
    static Reserved of(Allocation allocation) {
      if (allocation instanceof Allocation.Held held) {
        return new Handles(held.handles());
      }
      if (allocation instanceof Allocation.Changed) {
        return new No(new Later(ControllerDelays.LOST_SEARCH));
      }
      return new No(
          allocation instanceof Allocation.Refused refused
              ? new Refused(refused.why(), refused.alike())
              : limited((Allocation.Limited) allocation));
    }

    private static Attempt limited(Allocation.Limited limited) {
      return new Limited(limited.why(), limited.limits());
    }
  }

  /**
   * Claims that are allocated together, each with its progress.
   *
   * @param reserveFor the pods that use claims
   */
  record Batch(ImmutableMap<ClaimUid, PodRef> reserveFor, ImmutableList<BatchMember> members) {

    Batch with(ImmutableList<BatchMember> now) {
      return new Batch(reserveFor, now);
    }

    /** Whether a member is not settled yet. */
    boolean open() {
      return members.stream().anyMatch(BatchMember::open);
    }

    /** Whether all claims have our finalizer, so that the first grant may be written. */
    boolean haveFinalizers() {
      return members.stream()
          .filter(BatchMember::open)
          .allMatch(member -> member.seen().hasFinalizer());
    }

    boolean lostOne() {
      return members.stream().anyMatch(BatchMember::lost);
    }

    /** Gives up the members whose grant is not written yet: a pod needs all its claims. */
    Batch abort() {
      return with(
          members.stream()
              .map(member -> member.open() ? member.withState(State.ABORTED) : member)
              .collect(ImmutableList.toImmutableList()));
    }

    /** The claims whose grant the server rejected, in their last state. */
    ImmutableList<ClaimFacts> rejected() {
      return members.stream()
          .filter(member -> member.state() == State.REJECTED)
          .map(BatchMember::seen)
          .collect(ImmutableList.toImmutableList());
    }

    ImmutableSet<ClaimUid> uids() {
      return members.stream()
          .map(member -> member.seen().uid())
          .collect(ImmutableSet.toImmutableSet());
    }
  }

  /** The result of an attempt to allocate. */
  public sealed interface Attempt {

    /**
     * Not now: other work owns one of the claims or changed it just now, and requeues this work at
     * its end; the server just rejected the allocation of one; or others changed the nodes during
     * the search.
     *
     * @param delay until the next attempt, unless an event comes first
     */
    record Later(Duration delay) implements Attempt {}

    /**
     * The driver has no devices for the batch; nothing was written.
     *
     * @param alike see {@link io.gpudra.controller.dra.Driver.Allocation.Refused}
     */
    record Refused(NodeSuitability why, boolean alike) implements Attempt {}

    /**
     * A limit that is none of a node is reached; nothing was written.
     *
     * @param limits the names of the limits
     */
    record Limited(UnsuitableReason why, ImmutableSet<String> limits) implements Attempt {}

    /** A write has no clear answer yet; the batch is to be resumed. */
    record Open() implements Attempt {}

    /**
     * Every member is granted or can never be granted.
     *
     * @param reservedFor the pods that use claims
     */
    record Settled(ImmutableMap<ClaimUid, PodRef> reservedFor, ImmutableList<BatchMember> members)
        implements Attempt {

      /** The pod that uses a claim. */
      public Optional<PodRef> pod(ClaimFacts claim) {
        return Optional.ofNullable(reservedFor.get(claim.uid()));
      }

      public ImmutableSet<ClaimUid> granted() {
        return members.stream()
            .filter(member -> !member.lost())
            .map(member -> member.seen().uid())
            .collect(ImmutableSet.toImmutableSet());
      }

      /** The node of each granted claim. */
      public ImmutableMultiset<String> nodes() {
        return members.stream()
            .filter(member -> !member.lost())
            .flatMap(member -> member.handle().node().stream())
            .collect(ImmutableMultiset.toImmutableMultiset());
      }

      /** The losses to report, by claim. */
      public ImmutableMap<ClaimFacts, UnsuitableReason.Kind> losses() {
        ImmutableMap.Builder<ClaimFacts, UnsuitableReason.Kind> losses = ImmutableMap.builder();
        for (BatchMember member : members) {
          member.loss().ifPresent(kind -> losses.put(member.seen(), kind));
        }
        return losses.buildOrThrow();
      }

      public ImmutableList<BatchMember> lost() {
        return members.stream().filter(BatchMember::lost).collect(ImmutableList.toImmutableList());
      }
    }
  }
}
