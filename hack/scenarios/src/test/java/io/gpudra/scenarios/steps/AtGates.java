package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multimaps;
import com.google.common.collect.Streams;
import com.google.common.primitives.Ints;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/** What must hold of pods at gates once everything had time, by a judgement of its own. */
record AtGates(World world, Grants grants, Stuck stuck) {

  void check() {
    ImmutableList<Pod> all =
        world.api().list(Resource.PODS).stream().map(Pod::new).collect(toImmutableList());
    all.stream().filter(pod -> waits(pod) && isMisjudged(pod)).forEach(this::mustGiveBack);
    all.stream()
        .filter(pod -> waitsAtGate(pod) && group(pod).isEmpty())
        .forEach(this::mustHaveAnotherGate);
    ImmutableListMultimap<String, Pod> groups =
        Multimaps.index(
            all.stream().filter(pod -> group(pod).isPresent()).toList(), AtGates::groupKey);
    groups.asMap().values().forEach(this::check);
  }

  private static boolean waits(Pod pod) {
    return pod.node().isEmpty() && !pod.deleting() && !pod.terminal();
  }

  private static boolean waitsAtGate(Pod pod) {
    return waits(pod) && Facts.gates(pod).contains(Facts.GATE);
  }

  private static Optional<GroupLabel> group(Pod pod) {
    return Facts.pod(pod).group();
  }

  /** The same for all pods of a group; empty for a pod that is in none. */
  private static String groupKey(Pod pod) {
    return group(pod)
        .map(label -> "%s/%s/%s".formatted(pod.namespace(), label.kind(), label.name()))
        .orElse("");
  }

  /** Whether no node suits the pod, which only the scheduler knows. */
  static boolean isNowhere(Pod pod) {
    return !Json.at(pod.json(), "spec.nodeSelector").isEmpty();
  }

  /** Whether the node of its claims takes no such pod. */
  private boolean isMisjudged(Pod pod) {
    return isNowhere(pod)
        || Containers.refs(pod).stream()
            .flatMap(ref -> grants.of(ref).stream())
            .map(entry -> world.machine(entry.grant().node()))
            .anyMatch(machine -> !stuck.hasRoom(machine, Size.of(pod)));
  }

  /** Whether a pod without a gate waits for others of its group. */
  boolean isHeldBack(Pod pod) {
    return group(pod).isPresent()
        && world.api().list(Resource.PODS).stream()
            .map(Pod::new)
            .filter(AtGates::waitsAtGate)
            .anyMatch(other -> groupKey(other).equals(groupKey(pod)));
  }

  private void mustHaveAnotherGate(Pod pod) {
    if (Facts.gates(pod).size() == 1) {
      world.broken("pod " + Meta.key(pod.json()) + " is left at its gate: " + pod.json());
    }
    mustHoldNothing(pod);
  }

  /** With a scheduling context, the scheduler itself gives back. */
  private void mustGiveBack(Pod pod) {
    ImmutableSet<ClaimRef> refs = Containers.refs(pod);
    boolean holdsAll =
        !refs.isEmpty()
            && refs.size() == pod.claims(Profile.V1_30).size()
            && refs.stream().allMatch(ref -> isHeldFor(ref, pod));
    boolean hasContext =
        world.api().get(Resource.CONTEXTS, pod.namespace(), pod.name()).isPresent();
    if (holdsAll && !pod.gated() && !hasContext) {
      world.broken("pod " + Meta.key(pod.json()) + " holds claims, and gets no node");
    }
  }

  private boolean isHeldFor(ClaimRef ref, Pod pod) {
    return grants.of(ref).filter(entry -> isHeldFor(entry.claim(), pod)).isPresent();
  }

  private void mustHoldNothing(Pod pod) {
    Streams.stream(grants.all())
        .map(Grants.Entry::claim)
        .filter(claim -> isHeldFor(claim, pod))
        .forEach(
            claim ->
                world.broken(
                    "%s is held for pod %s, which cannot start (G2)"
                        .formatted(claim.ref(), Meta.key(pod.json()))));
  }

  private static boolean isHeldFor(ClaimFacts claim, Pod pod) {
    return claim.mode() == Mode.DELAYED
        && !claim.ending()
        && claim.reservedFor().equals(ImmutableSet.of(pod.uid()));
  }

  private void check(Collection<Pod> group) {
    ImmutableList<Pod> gated =
        group.stream().filter(AtGates::waitsAtGate).collect(toImmutableList());
    if (gated.isEmpty()) {
      return;
    }
    gated.forEach(this::mustHoldNothing);
    Optional<ImmutableList<Pod>> starting = starting(group);
    if (starting.isPresent() && stuck.couldStart(starting.get())) {
      world.broken(
          "a group waits, and nodes would do: "
              + starting.get().stream().map(Pod::json).collect(toImmutableList()));
    }
  }

  /** The members that start together; empty if the group is not complete, or wrong. */
  private static Optional<ImmutableList<Pod>> starting(Collection<Pod> group) {
    ImmutableList<Pod> waiting = group.stream().filter(AtGates::waits).collect(toImmutableList());
    ImmutableSet<GroupLabel> labels =
        waiting.stream().flatMap(pod -> group(pod).stream()).collect(toImmutableSet());
    GroupLabel label = labels.iterator().next();
    Integer size = labels.size() == 1 && !label.disputed() ? Ints.tryParse(label.size()) : null;
    if (size == null || size < 2) {
      return Optional.empty();
    }
    ImmutableList<Pod> ungated =
        waiting.stream().filter(pod -> !waitsAtGate(pod)).collect(toImmutableList());
    long running =
        group.stream()
            .filter(pod -> !pod.node().isEmpty() && !pod.deleting() && !pod.terminal())
            .count();
    long needed = Math.max(1, size - ungated.size() - running);
    ImmutableList<Pod> first =
        waiting.stream()
            .filter(pod -> waitsAtGate(pod) && Facts.gates(pod).size() == 1)
            .sorted(comparing((Pod pod) -> Facts.pod(pod).rank()).thenComparing(pod -> pod.name()))
            .limit(needed)
            .collect(toImmutableList());
    ImmutableList<Pod> starting =
        Stream.concat(first.stream(), ungated.stream()).collect(toImmutableList());
    return Optional.of(starting)
        .filter(unused -> first.size() == needed)
        .filter(pods -> pods.stream().noneMatch(pod -> Facts.gatedPod(pod).unjudged().isPresent()));
  }
}
