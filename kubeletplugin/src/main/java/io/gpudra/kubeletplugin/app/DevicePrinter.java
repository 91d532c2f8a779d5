package io.gpudra.kubeletplugin.app;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.device.GpuDevices;
import java.io.IOException;
import java.time.Instant;

/** Prints the GPUs of a node without a cluster: the inventory that would be published. */
record DevicePrinter(PluginOptions options, String version) {

  private static final JsonMapper JSON = new JsonMapper();

  /**
   * The inventory as JSON.
   *
   * @throws IOException when there is no usable driver, with the remedy
   */
  String text() throws IOException {
    StateFiles state = new StateFiles(options.stateDirOrDefault());
    try (GpuDevices devices = new DeviceFinder(options, state).find()) {
      ObjectNode object = JSON.createObjectNode();
      object.put("apiVersion", GpuApi.GROUP + "/" + GpuApi.VERSION);
      object.put("kind", NodeInventory.KIND);
      object.putObject("metadata").put("name", options.nodeName);
      object.set(
          "status",
          JSON.valueToTree(
              InventoryCodec.write(
                  inventory(options, devices, devices.gpus(), ImmutableList.of()),
                  new InventoryCodec.Publisher(
                      options.driverName,
                      version,
                      options.bootId(),
                      (int) options.heartbeat.toSeconds()),
                  Instant.now(),
                  ImmutableList.of())));
      return object.toPrettyString();
    }
  }

  /** The inventory names the node, but does not report the node's own state. */
  static Inventory inventory(
      PluginOptions options,
      GpuDevices devices,
      ImmutableList<Gpu> gpus,
      ImmutableList<PreparedClaim> prepared) {
    return new Inventory(
        NodeState.ready(options.nodeName),
        devices.driverVersion(),
        devices.cudaDriverVersion(),
        gpus,
        devices.links(),
        prepared,
        HandleCodec.FORMAT,
        new Inventory.Service.Serving());
  }
}
