package io.gpudra.controller.allocation;

import java.time.Instant;

/**
 * What a grant says for audit.
 *
 * @param epoch lease transitions of the deciding leader
 */
public record Stamp(long epoch, Instant at) {}
