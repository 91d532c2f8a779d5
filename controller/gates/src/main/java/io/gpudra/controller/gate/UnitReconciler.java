package io.gpudra.controller.gate;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.Reconciler;

/** Reconciles units: a pod alone, or a group. */
public record UnitReconciler(Reconciler pods, Reconciler groups) implements Reconciler {

  @Override
  public ReconcileResult reconcile(ObjectKey unit) throws Exception {
    return GatedPod.isGroup(unit) ? groups.reconcile(unit) : pods.reconcile(unit);
  }
}
