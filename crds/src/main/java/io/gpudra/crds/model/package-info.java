/**
 * The vocabulary of the driver: what a node has ({@link io.gpudra.crds.model.Inventory}), what a
 * claim was promised ({@link io.gpudra.crds.model.Grant}) and why it was not ({@link
 * io.gpudra.crds.model.Reason}).
 *
 * <p>Immutable values, equal by content, without Kubernetes types, JSON or text parsing of other
 * people's formats. Both binaries speak it; wire formats live in {@code api} (custom resources) and
 * {@code handle} (the grant on the wire).
 */
@NullMarked
package io.gpudra.crds.model;

import org.jspecify.annotations.NullMarked;
