package io.gpudra.simulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One change; {@code type} is ADDED, MODIFIED or DELETED. The object belongs to the store: read
 * only.
 */
public record WatchEvent(String type, Resource resource, ObjectNode object) {}
