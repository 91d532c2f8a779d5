package io.gpudra.simulator.store;

import java.util.List;
import java.util.Optional;

/**
 * A consistent part of a collection.
 *
 * @param revision the state all items are of
 * @param next where the following page starts; empty on the last one
 */
public record Page(List<Stored> items, long revision, Optional<Key> next) {}
