package io.gpudra.controller.dra.facts;

import io.gpudra.crds.model.node.NodeSelector;
import java.util.Optional;

/**
 * What the protocol needs to know of a ResourceClass.
 *
 * @param structured {@code structuredParameters} is true: the scheduler allocates, we keep away
 */
public record ClassFacts(
    String name,
    String driverName,
    boolean structured,
    Optional<ParametersRef> parameters,
    Optional<NodeSelector> suitableNodes) {}
