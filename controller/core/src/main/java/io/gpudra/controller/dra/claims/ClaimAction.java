package io.gpudra.controller.dra.claims;

/** The work that a claim needs from us, regardless of a pod. */
enum ClaimAction {
  NOTHING,
  /** Deallocate: clear the status, release the devices, remove our finalizer. */
  RELEASE,
  /** Another driver allocated: remove only our finalizer and release the devices that we hold. */
  FREE_OURS,
  /** Not allocated and not wanted: remove our finalizer and release the devices that we hold. */
  UNGUARD,
  /** The class or the parameters do not exist yet. */
  AWAIT,
  /** Immediate mode: allocate on the best node. */
  ALLOCATE_NOW
}
