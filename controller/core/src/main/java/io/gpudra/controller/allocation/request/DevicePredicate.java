package io.gpudra.controller.allocation.request;

import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;

/**
 * The devices that a claim can use. Depends only on the hardware in the inventory, never on holders
 * or prepared claims; called from several threads.
 */
public interface DevicePredicate {

  /** The least that is paid for a condition that is evaluated on each device by itself. */
  int STEPS_APART = 500;

  /**
   * The usable GPUs of a node: bit <i>i</i> stands for {@code inventory.gpus().get(i)}. Devices
   * after the 64th cannot be named and are never used; the schema of the inventory allows no more.
   */
  long matching(Inventory inventory);

  /** The GPUs of a node on which a MIG device like this one can be used. */
  long matching(Inventory inventory, Part.Slice slice);

  /**
   * Whether a MIG device of GPU {@code gpu} of the node can be used.
   *
   * @param uuid of the MIG device, not of the GPU
   */
  default boolean matches(Inventory inventory, int gpu, Part.Slice slice, String uuid) {
    return (matching(inventory, slice) >>> gpu & 1) == 1;
  }

  /** Whether results for MIG devices of one profile on one GPU may differ: it reads their names. */
  boolean differsBetweenPlaces();

  /**
   * Whether results for existing MIG devices of one profile on one GPU may differ: it reads their
   * names or UUIDs, and is evaluated on each by itself.
   */
  default boolean tellsMigDevicesApart() {
    return differsBetweenPlaces();
  }

  /**
   * Whether results for GPUs of nodes with equal fingerprints may differ: it reads the node, or an
   * attribute that is unique to a GPU.
   */
  boolean differsBetweenNodes();

  /** Whether results for devices that look alike may differ: each is evaluated by itself. */
  default boolean tellsDevicesApart() {
    return differsBetweenNodes() || differsBetweenPlaces();
  }

  /**
   * The steps of an evaluation on one device for which a search pays; 0 if they are few. Results
   * for devices that look alike are shared, but forgotten when there are too many.
   */
  default int steps() {
    return tellsDevicesApart() ? STEPS_APART : 0;
  }

  /**
   * The text for users: {@code memory >= 40Gi and device.index < 4}; empty when every GPU suits.
   */
  String text();
}
