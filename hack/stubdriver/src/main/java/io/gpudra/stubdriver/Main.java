package io.gpudra.stubdriver;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import java.io.IOException;
import java.nio.file.Path;

/** {@code DIRECTORY < INVENTORY}: makes a driver there that knows the GPUs of a node. */
final class Main {

  private Main() {}

  /** Reads the inventory, as {@code kubeletplugin --print-devices} prints it, as JSON. */
  public static void main(String[] arguments) throws IOException {
    JsonMapper json = new JsonMapper();
    NodeInventoryStatus status =
        json.treeToValue(json.readTree(System.in).path("status"), NodeInventoryStatus.class);
    Inventory told = read(status);
    StubDriver.of(Path.of(arguments[0]), StubDriver.NEWEST, told.gpus(), told.links());
  }

  private static Inventory read(NodeInventoryStatus status) {
    NodeState node = NodeState.ready("");
    return InventoryCodec.read(
            new NodeInventory(null, null, null, null, status),
            node,
            String.valueOf(status.driverName()))
        .inventory();
  }
}
