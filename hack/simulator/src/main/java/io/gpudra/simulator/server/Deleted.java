package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a DELETE did.
 *
 * @param object as it is now or, when gone, as it was last; read only
 */
public record Deleted(ObjectNode object, boolean gone) {}
