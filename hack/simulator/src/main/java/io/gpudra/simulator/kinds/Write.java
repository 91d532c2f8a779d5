package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A write under examination.
 *
 * @param old empty for a create
 * @param status whether it came through the status subresource
 */
public record Write(ObjectNode next, Optional<ObjectNode> old, boolean status) {}
