package io.gpudra.controller.dra.facts;

import io.gpudra.crds.model.node.NodeSelector;
import java.util.Optional;

/**
 * The facts of a ResourceClass that the protocol needs.
 *
 * @param structured {@code structuredParameters} is true: the scheduler allocates its claims
 */
public record ClassFacts(
    String name,
    String driverName,
    boolean structured,
    Optional<ParametersRef> parameters,
    Optional<NodeSelector> suitableNodes) {}
