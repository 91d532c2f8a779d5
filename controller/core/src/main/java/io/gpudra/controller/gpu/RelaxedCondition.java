package io.gpudra.controller.gpu;

import io.gpudra.controller.allocation.request.DevicePredicate;

/**
 * A condition without one of its parts.
 *
 * @param part the omitted part, for texts
 * @param ofMemory whether that is the minimum memory
 */
public record RelaxedCondition(String part, DevicePredicate rest, boolean ofMemory) {}
