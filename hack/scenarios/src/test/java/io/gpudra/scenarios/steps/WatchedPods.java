package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.MemberFacts.Phase;
import io.gpudra.controller.gate.SlowListException;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Sees every gate that a controller removes beside what it knew when its pass began. */
final class WatchedPods implements GatedPods {
  private final GatedPods pods;
  private final ClaimCache claims;
  private final ClassCache classes;
  private final Controller process;
  private final World world;

  /** The last look at each unit. */
  private final Map<ObjectKey, Look> looks = new HashMap<>();

  /** By UID of the pod. */
  private final Map<String, Long> firstLooks = new HashMap<>();

  /**
   * What was known when a pass began.
   *
   * @param revision of the server
   * @param members of a group, if the server was asked
   */
  private record Look(
      long revision,
      ImmutableList<GatedPod> waiting,
      ImmutableMap<ClaimRef, ClaimFacts> claims,
      ImmutableList<MemberFacts> members) {}

  WatchedPods(
      GatedPods pods, ClaimCache claims, ClassCache classes, Controller process, World world) {
    this.pods = pods;
    this.claims = claims;
    this.classes = classes;
    this.process = process;
    this.world = world;
  }

  @Override
  public ImmutableList<GatedPod> ofUnit(ObjectKey unit) {
    ImmutableList<GatedPod> waiting = pods.ofUnit(unit);
    waiting.forEach(pod -> firstLooks.putIfAbsent(pod.ref().uid(), process.nanos()));
    looks.put(unit, look(waiting, ImmutableList.of()));
    return waiting;
  }

  private Look look(ImmutableList<GatedPod> waiting, ImmutableList<MemberFacts> members) {
    return new Look(
        world.api().revision(),
        waiting,
        waiting.stream()
            .flatMap(WatchedPods::refs)
            .distinct()
            .flatMap(ref -> newest(ref).stream())
            .collect(toImmutableMap(ClaimFacts::ref, claim -> claim)),
        members);
  }

  private Optional<ClaimFacts> newest(ClaimRef ref) {
    return claims.newest(ref).map(Seen::facts);
  }

  private static Stream<ClaimRef> refs(GatedPod pod) {
    return pod.facts().claims().stream()
        .map(PodClaim::resolution)
        .flatMap(
            entry ->
                entry instanceof Resolution.ResolvedTo to ? Stream.of(to.claim()) : Stream.of());
  }

  @Override
  public boolean isAtGate(ObjectKey unit) {
    return pods.isAtGate(unit);
  }

  @Override
  public ImmutableSet<ObjectKey> units() {
    return pods.units();
  }

  @Override
  public boolean awaitsNode(PodRef pod) throws ApiUnavailableException {
    return pods.awaitsNode(pod);
  }

  @Override
  public boolean isGated(PodRef pod) throws ApiUnavailableException {
    return pods.isGated(pod);
  }

  @Override
  public Optional<ImmutableList<MemberFacts>> members(ObjectKey group)
      throws ApiUnavailableException, SlowListException {
    Optional<ImmutableList<MemberFacts>> members = pods.members(group);
    looks.put(group, look(looks.get(group).waiting(), members.orElse(ImmutableList.of())));
    return members;
  }

  @Override
  public Kind lift(GatedPod seen) {
    Look look = looks.get(seen.unit());
    boolean granted = isGranted(seen, look);
    Optional<GroupLabel> group = seen.facts().group();
    if (group.isPresent()) {
      mustStartTogether(seen, group.get(), look);
    } else if (!granted && !isLeftToScheduler(seen, look) && !isPatienceOver(seen)) {
      world.broken(
          "%s lifts pod %s, whose claims are not granted (I8)"
              .formatted(process.name(), name(seen)));
    }
    return pods.lift(seen);
  }

  private static String name(GatedPod pod) {
    return pod.ref().namespace() + "/" + pod.ref().name();
  }

  /** Whether each claim was allocated at some moment since the pass began. */
  private boolean isGranted(GatedPod pod, Look look) {
    return pod.facts().claims().stream()
        .map(PodClaim::resolution)
        .allMatch(entry -> isGranted(entry, look));
  }

  private boolean isGranted(Resolution entry, Look look) {
    return entry instanceof Resolution.None
        || (entry instanceof Resolution.ResolvedTo to
            && Stream.of(Optional.ofNullable(look.claims().get(to.claim())), newest(to.claim()))
                .flatMap(Optional::stream)
                .anyMatch(claim -> isGranted(claim, look)));
  }

  private boolean isGranted(ClaimFacts claim, Look look) {
    return claim.allocation().isPresent()
        || world.grantTimes().isSince(claim.uid(), look.revision());
  }

  private boolean isLeftToScheduler(GatedPod pod, Look look) {
    return pod.unjudged().isPresent()
        || refs(pod)
            .flatMap(
                ref ->
                    Stream.concat(Stream.ofNullable(look.claims().get(ref)), newest(ref).stream()))
            .anyMatch(this::isOfAnother);
  }

  private boolean isOfAnother(ClaimFacts claim) {
    return (claim.allocation().isPresent() && !claim.allocatedByUs())
        || classes
            .get(claim.className())
            .filter(known -> !known.driverName().equals(Facts.DRIVER))
            .isPresent();
  }

  private boolean isPatienceOver(GatedPod pod) {
    long waited = process.nanos() - firstLooks.getOrDefault(pod.ref().uid(), process.nanos());
    return waited >= Gates.PATIENCE.toNanos();
  }

  /** As many as the group has members are granted, or have started. */
  private void mustStartTogether(GatedPod seen, GroupLabel group, Look look) {
    Set<PodRef> ready = new HashSet<>();
    Set<PodRef> gated = new HashSet<>();
    for (GatedPod pod : look.waiting()) {
      if (pod.gated()) {
        gated.add(pod.ref());
      }
      boolean over = pod.facts().deleting() || pod.facts().terminal();
      if (!over && (!pod.gated() || (!pod.heldByOthers() && isGranted(pod, look)))) {
        ready.add(pod.ref());
      }
    }
    look.members().stream()
        .filter(member -> !gated.contains(member.pod()) && hasStarted(member))
        .forEach(member -> ready.add(member.pod()));
    Integer size = Ints.tryParse(group.size());
    if (!ready.contains(seen.ref()) || size == null || ready.size() < size) {
      world.broken(
          "%s lifts pod %s of a group of %s, of which %s are granted (G1)"
              .formatted(process.name(), name(seen), group.size(), ready));
    }
  }

  private static boolean hasStarted(MemberFacts member) {
    return member.phase() == Phase.SUCCEEDED
        || (member.phase() == Phase.ALIVE && member.bound() && !member.deleting());
  }
}
