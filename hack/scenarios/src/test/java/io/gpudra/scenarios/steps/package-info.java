/**
 * The step simulation: a whole cluster on one thread, one clock and one seed, in which everything
 * goes wrong. The controller's engine and the plugin's preparer are the real ones; between them and
 * the simulator's server, scheduler, claim controller and kubelets stand ports that lose, delay and
 * reorder what they carry, and processes that stop anywhere.
 *
 * <p>Start at {@code Simulation}: a history is a while of chance, then all faults end and
 * everything must come right. {@code World} holds the parts, {@code Fates} decides what becomes of
 * each call, {@code Grants}, {@code Containers}, {@code Rest} and {@code Stuck} say what must stay
 * true. {@code CrashMatrixTest} lets one process die at each point of a fixed {@code CrashLife}
 * instead. Half of the seeds have whole GPUs only, the others claims of every kind over GPUs that
 * can be cut or are: {@code Division} and {@code Fit} judge these by trying and adding up, {@code
 * Inspection} what is left of them on a node.
 *
 * <p>Half of the seeds have pods at gates, alone and in groups, with priorities, and half of those
 * have quotas: {@code GateUsers} makes them. {@code WatchedPods} judges each gate that is removed,
 * {@code QuotaPort} each commit, {@code AtGates} what waits at rest, {@code Contest} who gets what
 * one pod leaves.
 *
 * <p>What must stay true: nothing but the seed decides; no double shares code with what it judges.
 */
package io.gpudra.scenarios.steps;
