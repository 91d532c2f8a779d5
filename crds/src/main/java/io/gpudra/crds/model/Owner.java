package io.gpudra.crds.model;

/**
 * Whoever may settle a hold that is in flight: one unit of work, named by its key, so that a retry
 * of the same work is the same owner.
 */
public record Owner(String name) {}
