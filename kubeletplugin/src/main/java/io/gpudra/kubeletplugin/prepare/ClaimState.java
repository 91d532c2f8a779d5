package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.prepare.step.Made;
import java.util.Optional;

/** What the node has done for a claim, and what follows from it for a call. */
sealed interface ClaimState {

  /** What a prepare call does next, when nobody else works on the claim. */
  enum OnPrepare {
    /** Take the devices, or wait for their holders. */
    BEGIN,
    /** Somebody stopped halfway: clean up, then look again. */
    UNDO_FIRST,
    /** It is all there: check it and give the same answer. */
    REUSE,
    /** The claim holds other devices, which containers may use. */
    REFUSE
  }

  OnPrepare onPrepare(Grant grant);

  /**
   * Whether a grant that the kubelet sent must be compared with that of the live claim before
   * anything is done for it.
   *
   * @param remembered whether the kubelet may have it from an earlier boot
   */
  default boolean doubts(Grant grant, boolean remembered) {
    return remembered;
  }

  /** The claim with its devices; empty when it holds none. */
  Optional<Holding> holding();

  /** The same with another note on what was made for the claim. */
  ClaimState with(String device, Made made);

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
    public ClaimState with(String device, Made made) {
      return this;
    }
  }

  /** The devices are taken and perhaps set up; no container uses them. */
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
    public ClaimState with(String device, Made made) {
      return new Intended(held.with(device, made));
    }
  }

  /** Everything is in place and containers may use it. */
  record Prepared(Holding held) implements ClaimState {
    @Override
    public OnPrepare onPrepare(Grant grant) {
      // Epoch and time of the grant do not reach the container, so they may differ.
      return held.grant().devices().equals(grant.devices()) ? OnPrepare.REUSE : OnPrepare.REFUSE;
    }

    /**
     * The kubelet keeps its first handle: what was prepared for a later one is asked for with it.
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
    public ClaimState with(String device, Made made) {
      return new Prepared(held.with(device, made));
    }
  }

  /**
   * A claim with the grant it was prepared for.
   *
   * @param made what was made for it, by the names of MIG devices in notes
   */
  record Holding(ClaimRef ref, Grant grant, ImmutableMap<String, Made> made) {

    /** Nothing was made yet. */
    Holding(ClaimRef ref, Grant grant) {
      this(ref, grant, ImmutableMap.of());
    }

    Made made(String device) {
      return made.getOrDefault(device, Made.NOTHING);
    }

    Holding with(String device, Made now) {
      return new Holding(
          ref,
          grant,
          ImmutableMap.<String, Made>builder().putAll(made).put(device, now).buildKeepingLast());
    }
  }
}
