package io.gpudra.controller.dra.facts;

import java.util.Optional;

/**
 * The driver's data in a claim's allocation.
 *
 * @param data opaque text for the node plugin
 * @param node the only node that can use the claim; read from {@code availableOnNodes}, absent when
 *     that names no single node
 * @param shareable whether several pods may use the claim
 */
public record ResourceHandle(String data, Optional<String> node, boolean shareable) {}
