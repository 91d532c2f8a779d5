package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.view.explain.WaitDetails.Place;
import io.gpudra.crds.model.WaitRank;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All pods and claims that wait for devices, in the controller's order. */
record WaitingOrder(NavigableSet<Waiter> waiters) {
  static WaitingOrder of(ObjectLookup lookup) {
    Stream<Waiter> pods =
        lookup.clusterView().objects().contexts().stream()
            .flatMap(context -> waiter(lookup, context).stream());
    Stream<Waiter> immediate =
        lookup.clusterView().objects().cluster().claims().stream()
            .filter(claim -> waits(lookup, claim))
            .map(claim -> waiter(lookup, claim));
    return new WaitingOrder(
        Stream.of(pods, gated(lookup), immediate)
            .flatMap(some -> some)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  static Waiter waiter(PodFacts pod, ContextFacts context) {
    return new Waiter(pod.rank(), context.uid(), WorkKey.context(context.key()));
  }

  static Waiter waiter(ObjectLookup lookup, ClaimFacts claim) {
    int priority = lookup.owner(claim).map(pod -> pod.facts().rank().priority()).orElse(0);
    WaitRank rank = new WaitRank(priority, claim.created());
    return new Waiter(rank, claim.uid().value(), WorkKey.claim(claim.ref()));
  }

  /** Units of pods whose claims are allocated before they are scheduled. */
  private static Stream<Waiter> gated(ObjectLookup lookup) {
    Map<ObjectKey, WaitRank> units =
        lookup.clusterView().objects().pods().stream()
            .filter(pod -> isGated(lookup, pod))
            .map(PodView::facts)
            .filter(pod -> lookup.podClaims().pending(pod).mayAllocate())
            .collect(
                Collectors.toMap(
                    GatedPod::unit,
                    PodFacts::rank,
                    BinaryOperator.maxBy(Comparator.naturalOrder())));
    return units.entrySet().stream()
        .map(
            unit ->
                new Waiter(unit.getValue(), unit.getKey().toString(), WorkKey.gate(unit.getKey())));
  }

  /** The place of a pod at the gate, or of its group; empty if it does not wait there. */
  Optional<Place> placeAtGate(PodFacts pod) {
    WorkKey work = WorkKey.gate(GatedPod.unit(pod));
    return waiters.stream()
        .filter(waiter -> waiter.work().equals(work))
        .findFirst()
        .map(this::placeOf);
  }

  private static boolean isGated(ObjectLookup lookup, PodView pod) {
    ImmutableList<String> gates = pod.scheduling().gates();
    GateName gateName = new GateName(lookup.clusterView().cluster().driver().name());
    return pod.node().isEmpty()
        && !pod.facts().deleting()
        && gates.contains(gateName.own())
        && gates.stream().allMatch(GateName::isOfADriver);
  }

  private static Optional<Waiter> waiter(ObjectLookup lookup, ContextFacts context) {
    return context.deleting() || context.offeredNodes().isEmpty()
        ? Optional.empty()
        : lookup
            .pod(context.pod())
            .map(PodView::facts)
            .filter(pod -> !pod.deleting())
            .filter(pod -> lookup.podClaims().pending(pod).mayAllocate())
            .map(pod -> waiter(pod, context));
  }

  private static boolean waits(ObjectLookup lookup, ClaimFacts claim) {
    return isImmediateOfOurs(lookup, claim)
        && lookup
            .ofClass(claim.className())
            .map(found -> lookup.clusterView().cluster().driver().parameters(found, claim))
            .filter(DriverParameters.Ready.class::isInstance)
            .isPresent();
  }

  /** Whether the driver allocates the claim before a pod uses it. */
  static boolean isImmediateOfOurs(ObjectLookup lookup, ClaimFacts claim) {
    return claim.mode() == Mode.IMMEDIATE
        && claim.allocation().isEmpty()
        && !claim.ending()
        && !claim.hasBuiltinFinalizer()
        && state(lookup, claim) == ClassState.OURS;
  }

  static ClassState state(ObjectLookup lookup, ClaimFacts claim) {
    return ClassState.of(
        lookup.ofClass(claim.className()), lookup.clusterView().cluster().driver().name());
  }

  /** The place; empty if the waiter is not in the queue. */
  Optional<Place> place(Waiter waiter) {
    return waiters.contains(waiter) ? Optional.of(placeOf(waiter)) : Optional.empty();
  }

  private Place placeOf(Waiter waiter) {
    NavigableSet<Waiter> before = waiters.headSet(waiter, /* inclusive= */ false);
    int priority = waiter.rank().priority();
    long higher = before.stream().filter(other -> other.rank().priority() > priority).count();
    return new Place(before.size() + 1, waiters.size(), (int) higher);
  }
}
