package io.gpudra.simulator.server;

import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.store.Key;

/**
 * What a write is aimed at.
 *
 * @param key namespace is empty for cluster-scoped kinds
 * @param status whether the status subresource is meant
 */
public record Target(Kind kind, Key key, boolean status) {}
