/**
 * The classic-DRA protocol: when a claim is allocated, for which pod, and when it is deallocated.
 * It could serve any device driver unchanged; only the {@link io.gpudra.controller.dra.Driver}
 * knows devices. This package has that interface and the five ports ({@link
 * io.gpudra.controller.dra.ClaimStore}, {@link io.gpudra.controller.dra.ContextStore}, {@link
 * io.gpudra.controller.dra.PodStore}, {@link io.gpudra.controller.dra.ClassStore}, {@link
 * io.gpudra.controller.dra.ReportSink}), with their types; the facts on which rules decide are in
 * {@code facts}, which all packages use.
 *
 * <p>Packages, each of which uses only those before it: {@code facts}, this one, {@code queue},
 * {@code events}, {@code allocator}, {@code scheduling}, {@code claims}, {@code engine}. Reading
 * order: {@link io.gpudra.controller.dra.Driver}, {@code claims.ClaimRules}, {@code
 * scheduling.SchedulingRules}, {@code scheduling.SchedulingReconciler}. Rules are pure functions
 * from facts to decisions; reconcilers perform decisions.
 *
 * <p>What must stay true: a claim UID has at most one owner; finalizer before status; a device is
 * released only when no write that grants it can still land.
 */
@NullMarked
package io.gpudra.controller.dra;

import org.jspecify.annotations.NullMarked;
