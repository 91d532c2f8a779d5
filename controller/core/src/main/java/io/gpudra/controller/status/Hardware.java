package io.gpudra.controller.status;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.Looks;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;

/** A node as it is when nobody uses it, its plugin serves and nothing is wrong with its GPUs. */
final class Hardware {

  private Hardware() {}

  /** With the names of this node. */
  static Inventory of(Inventory node) {
    return node.bare(
        node.node().name(),
        node.gpus().stream().map(Hardware::emptied).collect(toImmutableList()),
        node.links());
  }

  /** Equal for nodes of the same hardware. */
  static Inventory anonymous(Inventory node) {
    return Looks.anonymous(of(node));
  }

  /** MIG devices that were made for claims go when these do. */
  private static Gpu emptied(Gpu gpu) {
    ImmutableList<MigState.Device> there =
        gpu.mig().devices().stream()
            .filter(device -> device.claim().isEmpty())
            .map(device -> device.with(ImmutableList.of()))
            .collect(toImmutableList());
    return gpu.with(gpu.mig().with(there)).with(ImmutableList.of());
  }
}
