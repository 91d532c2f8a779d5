package io.gpudra.controller.loop;

/** Brings the actual state of one object closer to its desired state. */
public interface Reconciler {

  /** Called by one worker at a time for one key. */
  ReconcileResult reconcile(ObjectKey key) throws Exception;
}
