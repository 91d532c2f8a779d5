package io.gpudra.scenarios.cluster;

import com.google.common.collect.ImmutableMap;

/**
 * What a cluster consists of.
 *
 * @param nodes the name of each worker and the GPUs it has, as the plugin's {@code --profile}
 * @param controllers replicas; one of them leads
 * @param port of the API server, 0 for any that is free
 */
public record Plan(ImmutableMap<String, String> nodes, int controllers, int port) {}
