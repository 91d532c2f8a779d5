package io.gpudra.controller.kube;

import io.gpudra.crds.model.node.Inventory;

/** Receives the state of each node. Called by one thread at a time, must return at once. */
public interface NodeListener {

  /** A node appeared, or its state, devices, prepared claims or service changed. */
  void inventoryChanged(Inventory inventory);

  /** The node's plugin has published again; called after the changes were reported. */
  void nodeSpoke(String node);

  /** The Node object was deleted. */
  void nodeGone(String node);
}
