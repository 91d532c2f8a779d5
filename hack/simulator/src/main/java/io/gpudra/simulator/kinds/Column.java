package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Function;

/**
 * A column that {@code kubectl get} shows.
 *
 * @param priority 0 is always shown, higher only with {@code -o wide}
 * @param cell the value of an object's row; a missing node for an empty cell
 */
public record Column(String name, String type, int priority, Function<ObjectNode, JsonNode> cell) {}
