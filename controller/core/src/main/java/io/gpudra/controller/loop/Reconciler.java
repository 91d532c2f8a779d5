package io.gpudra.controller.loop;

/** Brings one object's world closer to what it should be. */
public interface Reconciler {

  /** Called by one worker at a time for one key. */
  Outcome reconcile(ObjectKey key) throws Exception;
}
