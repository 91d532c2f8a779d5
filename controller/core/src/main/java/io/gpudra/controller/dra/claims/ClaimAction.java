package io.gpudra.controller.dra.claims;

/** The action that a claim needs, regardless of a pod. */
enum ClaimAction {
  NOTHING,
  /** Empty the status, release the devices, remove our finalizer. */
  DEALLOCATE,
  /** Another driver allocated: only remove our finalizer and release the devices that we hold. */
  LEAVE_TO_OTHER_DRIVER,
  /** Not allocated and not wanted: remove our finalizer and release the devices that we hold. */
  REMOVE_FINALIZER,
  /** The class or the parameters do not exist yet. */
  AWAIT,
  /** Immediate mode: allocate on the best node. */
  ALLOCATE_NOW
}
