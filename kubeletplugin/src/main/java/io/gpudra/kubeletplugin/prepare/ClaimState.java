package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Pods;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.step.CreatedMigDevice;
import java.util.Optional;
import java.util.Set;

/** The state of a claim on this node, and its consequences for a call. */
sealed interface ClaimState {

  /** The next action of a prepare call, when no other call works on the claim. */
  enum OnPrepare {
    /** Lock the devices, or wait for their holders. */
    BEGIN,
    /** An earlier call stopped halfway: undo it first, then decide again. */
    UNDO_FIRST,
    /** All is prepared: check it and give the same answer. */
    REUSE,
    /** The claim holds other devices, which containers may use. */
    REFUSE
  }

  OnPrepare onPrepare(Grant grant);

  /**
   * Whether a grant from the kubelet must be compared with that of the live claim before it is
   * prepared.
   *
   * @param remembered whether the kubelet may have it from an earlier boot
   */
  default boolean doubts(Grant grant, boolean remembered) {
    return remembered;
  }

  /** The claim with its devices; empty when it holds none. */
  Optional<Holding> holding();

  /** The same state with this holding. */
  ClaimState with(Holding now);

  /** Nothing is held. */
  record Absent() implements ClaimState {
    @Override
    public OnPrepare onPrepare(Grant grant) {
      return OnPrepare.BEGIN;
    }

    @Override
    public Optional<Holding> holding() {
      return Optional.empty();
    }

    @Override
    public ClaimState with(Holding now) {
      return this;
    }
  }

  /** The devices are held and perhaps set up; no container uses them. */
  record Intended(Holding held) implements ClaimState {
    @Override
    public OnPrepare onPrepare(Grant grant) {
      return OnPrepare.UNDO_FIRST;
    }

    @Override
    public Optional<Holding> holding() {
      return Optional.of(held);
    }

    @Override
    public ClaimState with(Holding now) {
      return new Intended(now);
    }
  }

  /** All devices are set up and containers may use them. */
  record Prepared(Holding held) implements ClaimState {
    @Override
    public OnPrepare onPrepare(Grant grant) {
      // Epoch and time of the grant do not reach the container, so they may differ.
      return held.grant().devices().equals(grant.devices()) ? OnPrepare.REUSE : OnPrepare.REFUSE;
    }

    /**
     * The kubelet keeps its first handle, and sends it also for what was prepared with a later one.
     */
    @Override
    public boolean doubts(Grant grant, boolean remembered) {
      return onPrepare(grant) == OnPrepare.REFUSE;
    }

    @Override
    public Optional<Holding> holding() {
      return Optional.of(held);
    }

    @Override
    public ClaimState with(Holding now) {
      return new Prepared(now);
    }
  }

  /**
   * Running containers keep the claim, and no other can start with it: it has no spec file. Only
   * this process knows: to the next process the claim is prepared.
   *
   * @param watched UIDs of pods whose containers may have it
   */
  record Fenced(Holding held, ImmutableSet<String> watched) implements ClaimState {
    @Override
    public OnPrepare onPrepare(Grant grant) {
      return new Prepared(held).onPrepare(grant);
    }

    /** The claim was gone, so its grant must be confirmed by the live claim. */
    @Override
    public boolean doubts(Grant grant, boolean remembered) {
      return true;
    }

    @Override
    public Optional<Holding> holding() {
      return Optional.of(held);
    }

    @Override
    public ClaimState with(Holding now) {
      return new Fenced(now, watched);
    }
  }

  /**
   * A claim with its prepared grant.
   *
   * @param made MIG devices that were created for it, by their names in notes
   * @param pods that may use it, if that is known
   */
  record Holding(
      ClaimRef ref, Grant grant, ImmutableMap<String, CreatedMigDevice> made, Optional<Pods> pods) {

    /** Many times the pods that use a claim at a time. */
    private static final int MAX_USERS = 1_000;

    /** A claim of this request, without created devices. */
    static Holding of(PrepareRequest request) {
      return new Holding(request.ref(), request.grant(), ImmutableMap.of(), request.pods());
    }

    CreatedMigDevice made(String device) {
      return made.getOrDefault(device, CreatedMigDevice.NOTHING);
    }

    Holding with(String device, CreatedMigDevice now) {
      return new Holding(
          ref,
          grant,
          ImmutableMap.<String, CreatedMigDevice>builder()
              .putAll(made)
              .put(device, now)
              .buildKeepingLast(),
          pods);
    }

    /** The same holding, with these pods as users, too. Too many are as good as unknown. */
    Holding usedBy(Set<String> more) {
      return new Holding(
          ref,
          grant,
          made,
          pods.map(now -> new Pods(both(now.users(), more), now.before()))
              .filter(now -> now.users().size() <= MAX_USERS));
    }

    /** The pods that may have the claim: a pod whose sandbox existed before does not. */
    ImmutableSet<String> mayHaveIt(Set<String> there) {
      ImmutableSet<String> users = pods.map(Pods::users).orElse(ImmutableSet.of());
      ImmutableSet<String> before = pods.map(Pods::before).orElse(ImmutableSet.of());
      return both(users, Sets.difference(there, before));
    }

    private static ImmutableSet<String> both(Set<String> some, Set<String> more) {
      return Sets.union(some, more).immutableCopy();
    }
  }
}
