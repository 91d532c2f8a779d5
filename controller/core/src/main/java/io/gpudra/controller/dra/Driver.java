package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.Handle;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Owner;
import java.util.Optional;

/**
 * What the protocol asks of a device driver. No call blocks on the network, all may come from
 * several threads.
 *
 * <p>The driver's memory is derived: {@link #observe} is fed every claim from the first list on,
 * and after a restart that alone restores it. {@link #allocate} reserves in that memory; the
 * protocol writes the grant into the claim and settles the reservation with {@link #granted} or
 * {@link #release}.
 *
 * @param <P> the driver's own form of a claim's parameters
 */
public interface Driver<P> {

  /** The name classes and handles carry. */
  String name();

  /**
   * Reads the parameters of a class and a claim; a user's mistake is a value, never an exception.
   */
  Parameters<P> parameters(ClassFacts resourceClass, ClaimFacts claim);

  /**
   * What is wrong with these claims because of how their pod uses them, whatever nodes there are: a
   * sentence each, by claim.
   */
  ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<P>> claimsOfOnePod);

  /**
   * Why no device there is could ever serve the claim, a sentence each; empty when one could, or
   * when it cannot be told.
   */
  ImmutableList<String> unsatisfiable(ClassFacts resourceClass, ClaimFacts claim);

  /** Judges the claims of one pod together on each node; changes nothing. */
  Suitability suitability(
      ImmutableList<PendingClaim<P>> claimsOfOnePod, ImmutableSet<String> nodes);

  /**
   * Reserves devices for all claims or none. The same claims by the same owner again get the same
   * answer while they are held on that node; a claim that is held elsewhere refuses the batch. When
   * it throws, nothing is held.
   */
  Allocation allocate(ImmutableList<PendingClaim<P>> claimsOfOnePod, NodeChoice where, Owner owner);

  /** The grant is in the claim: from now on {@link #observe} decides about the reservation. */
  void granted(ClaimUid claim, Owner owner);

  /** Gives back whatever is held for the claim; repeatable, never fails. */
  void release(ClaimUid claim, Owner owner);

  /**
   * Whether the claim's devices are granted to another claim, too, and its node has not prepared
   * them: unless a pod may use it, the grant is taken back.
   */
  boolean surplus(ClaimUid claim);

  /**
   * Whether a node may have the claim prepared without having said so. Asked before its grant is
   * cleared: what is remembered of that ends with this process.
   */
  boolean lingers(ClaimUid claim);

  /**
   * Tells what the API has: our handle in the claim, or none. Never older than our own writes;
   * never ends a reservation that is not {@link #granted} yet.
   */
  void observe(ClaimRef ref, ClaimUid claim, Optional<Handle> ours);

  /** The claim's object is gone, and nothing is remembered for it; told after what the API has. */
  void gone(ClaimUid claim);

  /** A driver's answer to a batch: all or none. */
  sealed interface Allocation {

    /** Held for all claims until each is {@link Driver#granted} or {@link Driver#release}d. */
    record Held(String node, ImmutableMap<ClaimUid, Handle> handles) implements Allocation {

      /** What to write into the claim, one of those that were asked for. */
      public Handle handle(ClaimUid claim) {
        Handle handle = handles.get(claim);
        if (handle == null) {
          throw new IllegalStateException("the driver held devices but not for claim " + claim);
        }
        return handle;
      }
    }

    /**
     * Nothing is held for this batch.
     *
     * @param alike whether any claim of equal parameters and class is refused now; its reasons are
     *     then the same object until that may be otherwise
     */
    record Refused(Suitability why, boolean alike) implements Allocation {
      /** Refused for what others may not share. */
      public Refused(Suitability why) {
        this(why, /* alike= */ false);
      }
    }
  }
}
