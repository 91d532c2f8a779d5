package io.gpudra.controller.kube;

import io.gpudra.crds.model.node.Inventory;

/** Learns what is known of each node; called by one thread at a time, must return at once. */
public interface NodeListener {

  /** A node appeared, or its state, devices, prepared claims or service changed. */
  void inventoryChanged(Inventory inventory);

  /** Its plugin has published since it was told of last, after what changed by that was told. */
  void nodeSpoke(String node);

  /** The node object is gone. */
  void nodeGone(String node);
}
