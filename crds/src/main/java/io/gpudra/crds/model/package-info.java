/**
 * The vocabulary of the driver: the claim ({@link io.gpudra.crds.model.ClaimRef}) and its
 * allocation ({@link io.gpudra.crds.model.Grant}, of {@link io.gpudra.crds.model.Part}s). The
 * devices are in {@code node}.
 *
 * <p>Immutable values, equal by content, without Kubernetes types, JSON or parsing of foreign text
 * formats. Both binaries use it. Wire formats are in {@code api} (custom resources) and {@code
 * handle} (the grant on the wire). What must stay true: a claim can be described without any node,
 * so this package does not use {@code node}.
 */
@NullMarked
package io.gpudra.crds.model;

import org.jspecify.annotations.NullMarked;
