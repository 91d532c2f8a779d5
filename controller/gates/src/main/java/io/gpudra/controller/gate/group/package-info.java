/**
 * The pods at the gate that start together or not at all. {@code GroupQuorum} says which pods of a
 * group start together, {@code GroupReconciler} starts them.
 *
 * <p>What must stay true: no gate of a member is removed before the claims of all are allocated;
 * nothing is held for a part of a group; this package knows no GPU and no client of the API server.
 */
@NullMarked
package io.gpudra.controller.gate.group;

import org.jspecify.annotations.NullMarked;
