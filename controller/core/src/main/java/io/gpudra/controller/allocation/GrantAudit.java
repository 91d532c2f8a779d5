package io.gpudra.controller.allocation;

import java.time.Instant;

/**
 * The audit data of a grant.
 *
 * @param epoch lease transitions of the deciding leader
 */
public record GrantAudit(long epoch, Instant at) {}
