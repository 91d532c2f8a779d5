package io.gpudra.crds.model;

/**
 * The unit of work that may settle a hold in flight. It is named by its key, so that a retry of the
 * same work is the same owner.
 */
public record HoldOwner(String name) {}
