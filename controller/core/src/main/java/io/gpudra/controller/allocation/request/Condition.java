package io.gpudra.controller.allocation.request;

import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;

/**
 * Which devices a claim can use. Depends on what the inventory says of the hardware only, never on
 * who holds or has prepared a device; called from several threads.
 */
public interface Condition {

  /**
   * The usable GPUs of a node: bit <i>i</i> stands for {@code inventory.gpus().get(i)}. Devices
   * after the 64th cannot be named and are never used; the schema of the inventory allows no more.
   */
  long matching(Inventory inventory);

  /** The GPUs of a node of which a MIG device like this one can be used, where it can be made. */
  long matching(Inventory inventory, Part.Slice slice);

  /**
   * Whether a MIG device of GPU {@code gpu} of the node can be used.
   *
   * @param uuid its own, not that of the GPU
   */
  default boolean matches(Inventory inventory, int gpu, Part.Slice slice, String uuid) {
    return (matching(inventory, slice) >>> gpu & 1) == 1;
  }

  /**
   * Whether it may judge MIG devices of one profile on one GPU differently: it reads their names.
   */
  boolean tellsPlacesApart();

  /**
   * Whether it may judge GPUs of nodes that look alike differently: it reads what only one GPU of
   * the world has, or the node.
   */
  boolean tellsNodesApart();

  /** For people: {@code memory >= 40Gi and device.index < 4}; empty when every GPU will do. */
  String text();
}
