package io.gpudra.controller.kube.mapping;

import io.gpudra.controller.dra.facts.PodFacts;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod as people ask about it.
 *
 * @param node where it runs or is to run
 * @param phase such as {@code Pending}; empty when nobody has said
 */
public record PodSight(PodFacts facts, Instant created, Optional<String> node, String phase) {}
