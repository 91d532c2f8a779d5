/**
 * The classic-DRA protocol: when a claim is allocated, for whom, and when it is given back. Could
 * serve any device driver unchanged; what a device is, only the {@link
 * io.gpudra.controller.dra.Driver} knows. Here are that seam and the five ports ({@link
 * io.gpudra.controller.dra.Claims}, {@link io.gpudra.controller.dra.Contexts}, {@link
 * io.gpudra.controller.dra.Pods}, {@link io.gpudra.controller.dra.Classes}, {@link
 * io.gpudra.controller.dra.Reports}), with what goes through them; the facts that rules decide on
 * are in {@code facts}, which everybody sees.
 *
 * <p>Rooms, each of which uses only those above it: {@code facts}, this one, {@code waiting},
 * {@code telling}, {@code granting}, {@code scheduling}, {@code claims}, {@code engine}. Reading
 * order: {@link io.gpudra.controller.dra.Driver}, {@code claims.ClaimRules}, {@code
 * scheduling.SchedulingRules}, {@code scheduling.SchedulingReconciler}. Rules are pure functions
 * from facts to decisions; reconcilers perform decisions.
 *
 * <p>What must stay true: a claim UID has at most one owner; finalizer before status; a device is
 * given back only when no write that grants it can still land.
 */
@NullMarked
package io.gpudra.controller.dra;

import org.jspecify.annotations.NullMarked;
