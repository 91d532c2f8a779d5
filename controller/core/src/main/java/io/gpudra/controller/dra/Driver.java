package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import java.util.Optional;

/**
 * The port of the protocol to a device driver. No call blocks on the network; all may come from
 * several threads.
 *
 * <p>The driver's memory is derived: {@link #observe} gets every claim from the first list on,
 * which alone restores the memory after a restart. {@link #allocate} reserves in that memory; the
 * protocol writes the grant into the claim and settles the reservation with {@link #granted} or
 * {@link #release}.
 *
 * @param <P> the driver's own form of a claim's parameters
 */
public interface Driver<P> {

  /** The name in classes and handles. */
  String name();

  /**
   * Reads the parameters of a class and a claim; a user's mistake is a value, never an exception.
   */
  DriverParameters<P> parameters(ClassFacts resourceClass, ClaimFacts claim);

  /** The memory that the parameters take: an estimate, rather too high than too low. */
  long bytes(P parameters);

  /**
   * The problems of these claims that result from their use by the pod, regardless of nodes: a
   * sentence each, by claim.
   */
  ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<P>> claimsOfOnePod);

  /**
   * The reasons why no present device could ever serve the claim, a sentence each; empty when one
   * could, or when it is unknown.
   */
  ImmutableList<String> unsatisfiable(ClassFacts resourceClass, ClaimFacts claim);

  /** Evaluates the claims of one pod together on each node; changes nothing. */
  NodeSuitability suitability(
      ImmutableList<PendingClaim<P>> claimsOfOnePod, ImmutableSet<String> nodes);

  /**
   * Reserves devices for all claims or none. A repeated call for the same claims by the same owner
   * gets the same answer while they are held on that node; a claim that is held on another node
   * refuses the batch. After an exception nothing is held.
   */
  Allocation allocate(
      ImmutableList<PendingClaim<P>> claimsOfOnePod, NodeChoice where, HoldOwner owner);

  /** The grant is in the claim: from now on {@link #observe} decides about the reservation. */
  void granted(ClaimUid claim, HoldOwner owner);

  /** Releases the devices that are held for the claim; repeatable, never fails. */
  void release(ClaimUid claim, HoldOwner owner);

  /**
   * Whether the claim's devices are also allocated to another claim, and the node has not prepared
   * them for this one. The claim is deallocated unless a pod may use it.
   */
  boolean isSurplus(ClaimUid claim);

  /**
   * Whether a node may have prepared the claim without a report. Called before the claim is
   * deallocated, since only this process remembers it.
   */
  boolean mayStillBePrepared(ClaimUid claim);

  /**
   * Passes the state of the API: our handle in the claim, or none. It is never older than our own
   * writes, and never ends a reservation that is not {@link #granted} yet.
   */
  void observe(ClaimRef ref, ClaimUid claim, Optional<ResourceHandle> ours);

  /** The claim's object is gone and nothing is remembered for it; called after {@link #observe}. */
  void gone(ClaimUid claim);

  /** A driver's answer to a batch: all or none. */
  sealed interface Allocation {

    /** Held for all claims until each is {@link Driver#granted} or {@link Driver#release}d. */
    record Held(String node, ImmutableMap<ClaimUid, ResourceHandle> handles) implements Allocation {

      /** The handle to write into this claim, which is one of the batch. */
      public ResourceHandle handle(ClaimUid claim) {
        ResourceHandle handle = handles.get(claim);
        if (handle == null) {
          throw new IllegalStateException("the driver held devices but not for claim " + claim);
        }
        return handle;
      }
    }

    /**
     * Nothing is held for this batch.
     *
     * @param alike whether every claim with equal parameters and class is refused now; the reasons
     *     are then the same object until this may change
     */
    record Refused(NodeSuitability why, boolean alike) implements Allocation {
      /** A refusal that may not apply to other claims. */
      public Refused(NodeSuitability why) {
        this(why, /* alike= */ false);
      }
    }

    /**
     * Nothing is held for this batch: a limit that is none of a node is reached.
     *
     * @param limits the names of the limits
     */
    record Limited(UnsuitableReason why, ImmutableSet<String> limits) implements Allocation {}

    /** Nothing is held or known: others changed the nodes during each search, for seconds. */
    record Changed() implements Allocation {}
  }
}
