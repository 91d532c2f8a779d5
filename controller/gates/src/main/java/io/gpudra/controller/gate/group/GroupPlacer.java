package io.gpudra.controller.gate.group;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Port to the search for nodes on which all members of a group fit at once. For a group that waits
 * for too long it may keep nodes, until the group is placed or {@link #leave leaves}.
 */
public interface GroupPlacer<P> {

  /**
   * Reserves devices for the claims of all members or for none.
   *
   * @param reserved nodes that are left to others; read before each search
   * @param group with its rank, which counts for all members
   */
  GroupPlacing place(
      ImmutableList<Member<P>> members, Supplier<ImmutableSet<String>> reserved, Waiter group);

  /** The group waits for no devices any more, or not now. */
  void leave(WorkKey group);

  /**
   * The time after which a group that was not placed is to be placed again at the latest, if any.
   */
  Optional<Duration> again(WorkKey group);

  /** The nodes that are kept for the group, if any; none by default. */
  default Optional<KeptNodesNotice> kept(WorkKey group) {
    return Optional.empty();
  }

  /**
   * A member with claims to allocate.
   *
   * @param node where another of its claims is allocated
   * @param staying claims of members that started before, whose devices the group does not get; the
   *     same for all members
   */
  record Member<P>(
      PodRef pod,
      ImmutableList<PendingClaim<P>> claims,
      NodeDemand demand,
      Optional<String> node,
      ImmutableSet<ClaimRef> staying) {

    /** A member of a group of which none started before. */
    public Member(
        PodRef pod,
        ImmutableList<PendingClaim<P>> claims,
        NodeDemand demand,
        Optional<String> node) {
      this(pod, claims, demand, node, ImmutableSet.of());
    }

    /** Each claim once, although several members may use it. */
    public static <P> ImmutableList<PendingClaim<P>> claims(ImmutableList<Member<P>> members) {
      return members.stream()
          .flatMap(member -> member.claims().stream())
          .collect(toImmutableMap(one -> one.claim().uid(), one -> one, (first, second) -> first))
          .values()
          .asList();
    }
  }

  /** The result for a group: all or none. */
  sealed interface GroupPlacing {

    /** Held for all claims. */
    record Placed(ImmutableMap<ClaimUid, ResourceHandle> handles) implements GroupPlacing {}

    /**
     * Nothing is held: not all members fit.
     *
     * @param fitting the number of members that fit at once
     */
    record TooFew(int fitting) implements GroupPlacing {}

    /**
     * Nothing is held: there are too many combinations to decide, or the search took too long.
     *
     * @param fitting a number of members that fit at once
     */
    record Undecided(int fitting) implements GroupPlacing {

      /** The reason. */
      public static String why(int searched) {
        return ("whether all %d members fit at once has too many combinations to decide, or takes"
                + " longer than %d s")
            .formatted(searched, ControllerDelays.GROUP_PASS.toSeconds());
      }
    }

    /**
     * Nothing is held: a limit that is none of a node is reached.
     *
     * @param limits the names of the limits
     */
    record Limited(UnsuitableReason why, ImmutableSet<String> limits) implements GroupPlacing {}

    /**
     * Nothing is held: another group is being searched, or nodes change all the time.
     *
     * @param turnedAway the number of groups that come back for the next turn
     */
    record Busy(int turnedAway) implements GroupPlacing {

      /** No other group comes back. */
      public Busy() {
        this(1);
      }
    }
  }
}
