package io.gpudra.controller.gpu;

import io.gpudra.controller.allocation.request.Condition;

/**
 * A condition without one of its parts.
 *
 * @param part what is left out, as people read it
 * @param ofMemory whether that is the least memory
 */
public record Relaxed(String part, Condition rest, boolean ofMemory) {}
