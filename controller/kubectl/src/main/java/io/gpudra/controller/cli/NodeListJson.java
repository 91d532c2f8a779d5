package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.controller.view.DeviceHolder;
import io.gpudra.controller.view.GpuUse;
import io.gpudra.controller.view.MaxRequest;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.PartText;
import java.util.Optional;

/** Nodes and their GPUs as JSON. */
final class NodeListJson {
  private NodeListJson() {}

  /** Adds a node with the largest requests that still fit. */
  static void add(ObjectNode json, NodeUse node, MaxRequest maxRequest) {
    json.put("node", node.name());
    node.refusal().ifPresent(text -> json.put("obstacle", text));
    json.put("driverVersion", node.inventory().driverVersion());
    ObjectNode fits = json.putObject("fits");
    fits.put("gpus", maxRequest.gpus().getOrDefault(node.name(), 0));
    Optional.ofNullable(maxRequest.memoryBytes().get(node.name()))
        .ifPresent(bytes -> fits.put("shareBytes", bytes));
    Optional.ofNullable(maxRequest.profiles().get(node.name()))
        .ifPresent(profile -> fits.put("migProfile", profile));
    ArrayNode gpus = json.putArray("gpus");
    node.gpus().forEach(gpu -> gpu(gpus.addObject(), gpu));
  }

  /** Adds a GPU and its holders. */
  static void gpu(ObjectNode json, GpuUse gpu) {
    json.put("name", gpu.name()).put("uuid", gpu.uuid()).put("state", gpu.status().label());
    gpu.gpu().ifPresent(one -> json.put("model", one.model().productName()));
    json.put("used", gpu.portion());
    json.put("tainted", gpu.tainted());
    ArrayNode holders = json.putArray("holders");
    gpu.holders().forEach(holder -> holder(holders.addObject(), holder));
  }

  /** Adds a claim and its device. */
  static void holder(ObjectNode json, DeviceHolder holder) {
    FindingJson.claim(json, holder.ref(), holder.claim());
    json.put("device", holder.device()).put("part", PartText.of(holder.part()));
    json.put("prepared", holder.prepared()).put("draining", holder.draining());
    holder.since().ifPresent(since -> json.put("since", since.toString()));
  }
}
