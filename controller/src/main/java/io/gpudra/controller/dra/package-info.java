/**
 * The classic-DRA protocol: when a claim is allocated, for whom, and when it is given back. Could
 * serve any device driver unchanged; what a device is, only the {@link
 * io.gpudra.controller.dra.Driver} knows.
 *
 * <p>Reading order: {@link io.gpudra.controller.dra.Driver}, {@code ClaimRules}, {@code
 * SchedulingRules}, {@code SchedulingReconciler}. Rules are pure functions from facts to decisions;
 * reconcilers perform decisions through five ports ({@link io.gpudra.controller.dra.Claims}, {@link
 * io.gpudra.controller.dra.Contexts}, {@link io.gpudra.controller.dra.Pods}, {@link
 * io.gpudra.controller.dra.Classes}, {@link io.gpudra.controller.dra.Reports}). {@link
 * io.gpudra.controller.dra.Engine} puts the parts together; {@code Allocator} carries a pod's
 * claims from reservation to grant, {@code Releases} takes them back, {@link
 * io.gpudra.controller.dra.Takeover} is the fence of a new leader.
 *
 * <p>What must stay true: a claim UID has at most one owner; finalizer before status; a device is
 * given back only when no write that grants it can still land.
 */
@NullMarked
package io.gpudra.controller.dra;

import org.jspecify.annotations.NullMarked;
