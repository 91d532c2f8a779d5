package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What a write did.
 *
 * @param object as it is now; read only
 * @param created whether it was not there before
 * @param warnings texts for the caller, such as about unknown fields
 */
public record Outcome(ObjectNode object, boolean created, List<String> warnings) {}
