package io.gpudra.controller.app;

import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.kube.NodeListener;
import io.gpudra.crds.model.node.Inventory;

/** Passes node changes on to the ledgers. */
record LedgerFeed(Ledgers ledgers) implements NodeListener {

  @Override
  public void inventoryChanged(Inventory inventory) {
    ledgers.observe(inventory);
  }

  @Override
  public void nodeSpoke(String node) {
    ledgers.nodeSpoke(node);
  }

  @Override
  public void nodeGone(String node) {
    ledgers.nodeGone(node);
  }
}
