package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Ordering;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.dra.scheduling.PendingPod.ClaimOfPod;
import io.gpudra.controller.dra.scheduling.SchedulingFacts.Entry;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Decides on the allocations of a pass for one pod, and on its answer to the scheduler. */
final class SchedulingRules {
  /** The limit of the API server for a list. */
  static final int MAX_NODES = 128;

  /**
   * The limit of a pod's entries. No node has more devices of a driver, so a pod with more could
   * not run, and the cost of evaluating and publishing its entries would be unlimited.
   */
  static final int MAX_ENTRIES = 64;

  private SchedulingRules() {}

  /** The claims that this driver can allocate now, and the obstacles. */
  static <P> PendingPod<P> pending(SchedulingFacts<P> facts) {
    Map<String, ClaimOfPod<P>> byUid = new TreeMap<>();
    List<PodBlocker> obstacles = new ArrayList<>();
    ImmutableList.Builder<ClaimFacts> pinning = ImmutableList.builder();
    PodUse use = facts.use();
    int waiting = 0;
    for (Entry<P> entry : facts.entries()) {
      obstacle(entry, facts.pod().uid()).ifPresent(obstacles::add);
      wanted(entry, use)
          .ifPresent(
              one ->
                  byUid.merge(one.claim().claim().uid().value(), one, SchedulingRules::bothNames));
      entry.claim().filter(ClaimFacts::allocatedByUs).ifPresent(pinning::add);
      waiting += entry.claim().filter(SchedulingRules::waitsForPod).isPresent() ? 1 : 0;
    }
    tooMany(facts.entries()).ifPresent(obstacles::add);
    return new PendingPod<>(
        ImmutableList.copyOf(byUid.values()),
        ImmutableList.copyOf(obstacles),
        pinning.build(),
        waiting > 1);
  }

  /** The obstacle of a pod with more entries for this driver than it serves. */
  static <P> Optional<PodBlocker> tooMany(List<Entry<P>> all) {
    List<Entry<P>> open = all.stream().filter(entry -> entry.open().isPresent()).toList();
    return open.stream()
        .filter(unused -> open.size() > MAX_ENTRIES)
        .findFirst()
        .flatMap(
            first ->
                first
                    .claim()
                    .map(
                        claim ->
                            PodBlocker.tooMany(
                                first.podClaim().name(), claim, open.size(), MAX_ENTRIES)));
  }

  /** Whether a driver, ours or another, allocates the claim for the pod. */
  static boolean waitsForPod(ClaimFacts claim) {
    return claim.mode() == Mode.DELAYED
        && claim.allocation().isEmpty()
        && !claim.hasBuiltinFinalizer();
  }

  /** The same claim under two names is one claim to the driver and two entries to the scheduler. */
  private static <P> ClaimOfPod<P> bothNames(ClaimOfPod<P> one, ClaimOfPod<P> other) {
    return new ClaimOfPod<>(
        one.claim(),
        ImmutableSet.<String>builder().addAll(one.podClaims()).addAll(other.podClaims()).build());
  }

  private static <P> Optional<ClaimOfPod<P>> wanted(Entry<P> entry, PodUse use) {
    if (entry.parameters().isPresent()
        && entry.parameters().get() instanceof DriverParameters.Ready<P> ready) {
      return entry
          .claim()
          .flatMap(
              claim ->
                  entry
                      .resourceClass()
                      .map(found -> new PendingClaim<>(claim, found, ready.value(), use)))
          .map(claim -> new ClaimOfPod<>(claim, ImmutableSet.of(entry.podClaim().name())));
    }
    return Optional.empty();
  }

  private static <P> Optional<PodBlocker> obstacle(Entry<P> entry, String podUid) {
    Resolution resolution = entry.podClaim().resolution();
    if (resolution instanceof Resolution.NotYet) {
      return Optional.of(unreported(Kind.NOT_YET, entry));
    }
    if (resolution instanceof Resolution.ResolvedTo to) {
      if (entry.claim().isEmpty()) {
        return Optional.of(unreported(Kind.MISSING, entry));
      }
      ClaimFacts claim = entry.claim().get();
      if (to.mustBeOwnedByPod() && !claim.ownerUid().equals(Optional.of(podUid))) {
        return Optional.of(unreported(Kind.NOT_OWNED, entry));
      }
      if (claim.ending()) {
        return Optional.of(unreported(Kind.ENDING, entry));
      }
      return waitsForPod(claim) ? classObstacle(entry, claim) : Optional.empty();
    }
    return Optional.empty();
  }

  private static <P> Optional<PodBlocker> classObstacle(Entry<P> entry, ClaimFacts claim) {
    if (entry.classState() == ClassState.ABSENT) {
      return Optional.of(PodBlocker.classAbsent(entry.podClaim().name(), claim));
    }
    return entry
        .parameters()
        .flatMap(found -> PodBlocker.ofParameters(entry.podClaim().name(), claim, found));
  }

  private static <P> PodBlocker unreported(Kind kind, Entry<P> entry) {
    return new PodBlocker(entry.podClaim().name(), entry.claim(), StatedReason.of(kind));
  }

  /**
   * Nodes to evaluate: the potential ones, the selected one, and those that we refused before,
   * since the scheduler does not offer these again. At most 257.
   */
  static <P> ImmutableSet<String> nodesToEvaluate(ContextFacts context, PendingPod<P> pending) {
    if (context.potentialNodes().isEmpty()) {
      return ImmutableSet.of();
    }
    Set<String> nodes = new LinkedHashSet<>(context.potentialNodes());
    context.selectedNode().ifPresent(nodes::add);
    // Our entries may name different sets of 128 nodes, and so more than 128 together.
    int most = nodes.size() + MAX_NODES;
    pending.claims().stream()
        .flatMap(claimOfPod -> claimOfPod.podClaims().stream())
        .flatMap(name -> context.unsuitableNodes().getOrDefault(name, ImmutableSet.of()).stream())
        .takeWhile(unused -> nodes.size() < most)
        .forEach(nodes::add);
    return ImmutableSet.copyOf(nodes);
  }

  /** Unsuitable nodes by the pod's entry, the selected node too when its commit was refused. */
  static <P> ImmutableMap<String, ImmutableSet<String>> unsuitable(
      PendingPod<P> pending, NodeSuitability suitability, Optional<String> refused) {
    ImmutableMap.Builder<String, ImmutableSet<String>> byEntry = ImmutableMap.builder();
    for (ClaimOfPod<P> claimOfPod : pending.claims()) {
      ImmutableSet.Builder<String> nodes = ImmutableSet.builder();
      nodes.addAll(suitability.of(claimOfPod.claim().claim().uid()).keySet());
      refused.ifPresent(nodes::add);
      claimOfPod.podClaims().forEach(name -> byEntry.put(name, nodes.build()));
    }
    return byEntry.buildOrThrow();
  }

  /**
   * The patch to publish; empty when it changes nothing.
   *
   * @param unsuitable by the pod's entry: all entries that wait for this driver
   * @param several whether entries must be published even when they name no node
   */
  static Optional<StatusPatch> patch(
      ContextFacts context,
      ImmutableMap<String, ImmutableSet<String>> unsuitable,
      boolean several) {
    ImmutableSortedMap.Builder<String, ImmutableList<String>> entries =
        ImmutableSortedMap.naturalOrder();
    boolean news = false;
    for (Map.Entry<String, ImmutableSet<String>> entry : unsuitable.entrySet()) {
      ImmutableList<String> nodes = capped(context, entry.getValue());
      entries.put(entry.getKey(), nodes);
      ImmutableSet<String> there = context.unsuitableNodes().get(entry.getKey());
      news |=
          there == null ? several || !nodes.isEmpty() : !there.equals(ImmutableSet.copyOf(nodes));
    }
    return news ? Optional.of(new StatusPatch(entries.buildOrThrow())) : Optional.empty();
  }

  /** The selected node is kept first, then the potential ones: the others matter least. */
  private static ImmutableList<String> capped(ContextFacts context, ImmutableSet<String> nodes) {
    Set<String> ordered = new LinkedHashSet<>();
    context.selectedNode().filter(nodes::contains).ifPresent(ordered::add);
    nodes.stream().filter(context.potentialNodes()::contains).sorted().forEach(ordered::add);
    ordered.addAll(Ordering.natural().immutableSortedCopy(nodes));
    return ordered.stream().limit(MAX_NODES).collect(ImmutableList.toImmutableList());
  }
}
