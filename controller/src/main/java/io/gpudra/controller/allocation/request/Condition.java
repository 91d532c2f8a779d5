package io.gpudra.controller.allocation.request;

import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.Part;
import java.util.Optional;

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

  /**
   * Whether a MIG device of GPU {@code gpu} of the node can be used.
   *
   * @param slice where it is or could be made
   * @param uuid of one that is there already
   */
  boolean matches(Inventory inventory, int gpu, Part.Slice slice, Optional<String> uuid);

  /** For people: {@code memory >= 40Gi and device.index < 4}; empty when every GPU will do. */
  String text();
}
