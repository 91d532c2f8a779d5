package io.gpudra.controller.dra.facts;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Optional;

/**
 * The facts of a ResourceClaim at one resourceVersion that the protocol needs.
 *
 * @param deleting {@code deletionTimestamp} is set
 * @param hasFinalizer our finalizer is there
 * @param hasBuiltinFinalizer the built-in finalizer of structured parameters is there; we never
 *     change such a claim
 * @param allocation present when {@code status.allocation} is set, by any driver
 * @param mayStillBePrepared we deallocated it while a node could have prepared it without a report:
 *     there is no allocation, and our driver's name is left in {@code status.driverName}
 * @param reservedFor UIDs of the consumers
 * @param ownerUid UID of the controller owner reference: the pod of a generated claim
 */
public record ClaimFacts(
    ClaimRef ref,
    ClaimUid uid,
    String resourceVersion,
    Instant created,
    String className,
    Optional<ParametersRef> parameters,
    Mode mode,
    boolean deleting,
    boolean deallocationRequested,
    boolean hasFinalizer,
    boolean hasBuiltinFinalizer,
    Optional<Granted> allocation,
    boolean mayStillBePrepared,
    ImmutableSet<String> reservedFor,
    Optional<String> ownerUid) {

  /** {@code spec.allocationMode}. */
  public enum Mode {
    DELAYED,
    IMMEDIATE
  }

  /**
   * {@code status.allocation} with {@code status.driverName}.
   *
   * @param ours our handle, present when {@code driverName} is ours and exactly one handle is of
   *     our driver
   */
  public record Granted(String driverName, Optional<ResourceHandle> ours) {}

  /** Whether the claim is allocated by this driver. */
  public boolean allocatedByUs() {
    return allocation.flatMap(Granted::ours).isPresent();
  }

  /** Whether the claim is deleted or its deallocation is requested. */
  public boolean ending() {
    return deleting || deallocationRequested;
  }
}
