package io.gpudra.crds.inventory;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A node's inventory between the wire and the model: the plugin writes, the controller reads.
 * Reading what was written gives the same inventory.
 */
public final class InventoryCodec {

  /** The type of the condition for whether the plugin serves. */
  public static final String READY = "Ready";

  /** The type of the condition for whether the plugin's checkpoint is intact. */
  public static final String STATE_INTACT = "StateIntact";

  /** The reason of a Ready condition that is True. */
  public static final String SERVING = "Serving";

  private static final int MAX_SUMMARY_CHARACTERS = 128;
  private static final int MAX_MESSAGE_CHARACTERS = 2048;

  private InventoryCodec() {}

  /**
   * The readable content of an object, and its problems.
   *
   * @param problems a sentence for each entry that was skipped or is doubtful, with its path
   */
  public record Reading(Inventory inventory, ImmutableList<String> problems) {}

  /**
   * The plugin that publishes the inventory.
   *
   * @param bootId changes when the node boots
   * @param heartbeatSeconds interval of updates
   */
  public record Publisher(
      String driverName, String pluginVersion, String bootId, int heartbeatSeconds) {}

  /**
   * Reads a stored object with any content and skips malformed entries. The result does not depend
   * on the age: the reader's clock decides whether a serving inventory is stale.
   *
   * @param node the state of the node according to the control plane
   * @param driverName an inventory of another driver's plugin counts as absent
   */
  public static Reading read(NodeInventory object, NodeState node, String driverName) {
    return InventoryReader.read(object, node, driverName);
  }

  /**
   * The status to publish.
   *
   * @param inventory without its service, which only {@code conditions} report
   * @param heartbeat the current time
   * @param conditions one of them of type {@link #READY}
   */
  public static NodeInventoryStatus write(
      Inventory inventory, Publisher by, Instant heartbeat, List<Condition> conditions) {
    StatusEntries entries = new StatusEntries(inventory);
    return new NodeInventoryStatus(
        by.driverName(),
        by.pluginVersion(),
        by.bootId(),
        heartbeat.toString(),
        by.heartbeatSeconds(),
        inventory.driverVersion(),
        inventory.cudaDriverVersion(),
        summary(inventory.gpus()),
        inventory.gpus().size(),
        entries.gpusInUse(),
        entries.gpusTainted(),
        entries.models(),
        entries.devices(),
        entries.links(),
        inventory.handleFormat(),
        entries.prepared(),
        conditions);
  }

  /** The implausible values of a status, each with its path. */
  public static ImmutableList<String> implausible(NodeInventoryStatus status) {
    return InventoryBounds.broken(status, /* spec= */ null);
  }

  /** A condition, and since when it has its value. */
  public static Condition condition(
      String type, boolean value, String reason, String message, Instant since) {
    return new Condition(
        type,
        value ? "True" : "False",
        reason,
        shortened(message, MAX_MESSAGE_CHARACTERS),
        since.toString());
  }

  private static String summary(List<Gpu> gpus) {
    Map<String, Long> byProduct =
        gpus.stream()
            .collect(
                Collectors.groupingBy(
                    gpu -> gpu.model().productName(), TreeMap::new, Collectors.counting()));
    String summary =
        byProduct.entrySet().stream()
            .map(entry -> entry.getValue() + "x " + entry.getKey())
            .collect(Collectors.joining(", "));
    return shortened(summary, MAX_SUMMARY_CHARACTERS);
  }

  /**
   * The text up to a maximum length: the server rejects a whole status for one text that is too
   * long.
   */
  static String shortened(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most - 1) + "…";
  }
}
