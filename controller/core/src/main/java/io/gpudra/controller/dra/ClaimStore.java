package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/**
 * Port to the ResourceClaims. Reads are never older than our own writes or the answers of {@link
 * #live} and {@link #liveList}; nor are the events passed to {@code queue.Requeuer}. Every write
 * carries the resourceVersion of {@code seen} and changes only the named fields; sending an
 * identical write again is harmless.
 */
public interface ClaimStore {

  /** The newest known claim, from the cache or from our own last write. */
  Optional<ClaimFacts> get(ClaimRef claim);

  /**
   * Reads the claim from the server.
   *
   * @throws ApiUnavailableException when the server does not answer
   */
  Optional<ClaimFacts> live(ClaimRef claim) throws ApiUnavailableException;

  /**
   * All claims of the cluster in one consistent list that is not older than this call.
   *
   * @throws ApiUnavailableException when the server does not answer
   */
  ImmutableList<ClaimFacts> liveList() throws ApiUnavailableException;

  /** Claims of a class, in the cache. */
  ImmutableList<ClaimRef> ofClass(String className);

  /** Claims that name these claim parameters, in the cache. */
  ImmutableList<ClaimRef> ofParameters(ParametersRef parameters);

  /** The pod for which the claim was created, if it is not allocated and does not wait for it. */
  Optional<PodRef> ownerPod(ClaimFacts claim);

  /** Adds our finalizer. */
  WriteOutcome addFinalizer(ClaimFacts seen);

  /** Writes our allocation and, in the same write, reserves the claim for the pod. */
  WriteOutcome allocate(ClaimFacts seen, ResourceHandle handle, Optional<PodRef> reserveFor);

  /**
   * Removes allocation, driver name and a deallocation request in one write.
   *
   * @param keepDriverName whether the driver name stays, which tells readers that a node may still
   *     have the claim prepared
   */
  WriteOutcome deallocate(ClaimFacts seen, boolean keepDriverName);

  /** Removes all consumers and requests the deallocation, in one write. */
  WriteOutcome requestDeallocation(ClaimFacts seen);

  /** Removes our finalizer. */
  WriteOutcome removeFinalizer(ClaimFacts seen);
}
