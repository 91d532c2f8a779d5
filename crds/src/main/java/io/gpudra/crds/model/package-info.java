/**
 * The vocabulary of the driver: who claims ({@link io.gpudra.crds.model.ClaimRef}), what a claim
 * was promised ({@link io.gpudra.crds.model.Grant}, of {@link io.gpudra.crds.model.Part}s) and why
 * it was not ({@link io.gpudra.crds.model.Reason}). What there is to promise is in {@code node}.
 *
 * <p>Immutable values, equal by content, without Kubernetes types, JSON or text parsing of other
 * people's formats. Both binaries speak it; wire formats live in {@code api} (custom resources) and
 * {@code handle} (the grant on the wire). What must stay true: a claim can be told of without any
 * node, so nothing here sees {@code node}.
 */
@NullMarked
package io.gpudra.crds.model;

import org.jspecify.annotations.NullMarked;
