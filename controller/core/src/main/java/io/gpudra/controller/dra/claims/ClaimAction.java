package io.gpudra.controller.dra.claims;

/** What a claim needs from us, by itself and not for a pod. */
enum ClaimAction {
  NOTHING,
  /** Clear the status, give the devices back, drop our finalizer if it is there. */
  RELEASE,
  /** Another driver allocated: drop only our finalizer and give back what we hold. */
  FREE_OURS,
  /** Nobody allocated and nobody wants it: drop our finalizer and give back what we hold. */
  UNGUARD,
  /** Its class or parameters must appear first. */
  AWAIT,
  /** Immediate mode: allocate on the best node. */
  ALLOCATE_NOW
}
