package io.gpudra.controller.dra.facts;

import java.util.Optional;

/**
 * Names a parameters object.
 *
 * @param apiGroup as written; may carry a version, may be empty
 * @param namespace of the claim for a claim's parameters; empty for cluster-scoped ones
 */
public record ParametersRef(
    String apiGroup, String kind, Optional<String> namespace, String name) {}
