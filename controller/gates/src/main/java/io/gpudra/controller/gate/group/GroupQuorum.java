package io.gpudra.controller.gate.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The members of a group that start together (protocol.md 2.6). A pure function.
 *
 * <p>Members without the gate, bound ones included, count as started; so do those that succeeded
 * and have the controller of a member at the gate. Those that failed or are being deleted do not:
 * other pods take their places.
 */
public final class GroupQuorum {
  /** The smallest group. */
  public static final int MIN_SIZE = 2;

  /** The largest group. */
  public static final int MAX_SIZE = 1_024;

  private GroupQuorum() {}

  /** The state of a group of which a member is at the gate. */
  public sealed interface GroupState {

    /** The labels contradict each other, or are wrong. */
    record Invalid(String problem) implements GroupState {}

    /** Pods with a node may be members: the server must be asked. */
    record Unknown() implements GroupState {}

    /**
     * Too few members are at the gate.
     *
     * @param present members at the gate
     * @param needed at the gate
     */
    record Incomplete(int present, int needed, int size) implements GroupState {}

    /**
     * These members can start.
     *
     * @param needed in the order of their ranks, at the gate
     * @param staying claims of members that started before
     */
    record Ready(ImmutableList<GatedPod> needed, int size, ImmutableSet<ClaimRef> staying)
        implements GroupState {

      /** One member must not lift the group, and members made anew count as new. */
      WaitRank rank() {
        return new WaitRank(
            needed.stream().mapToInt(pod -> pod.facts().rank().priority()).min().orElse(0),
            needed.stream().map(Ready::created).max(Instant::compareTo).orElse(Instant.MAX));
      }

      /** The UID of the last member, which tells the group from one made anew. */
      String uid() {
        return needed.stream()
            .max(comparing(Ready::created).thenComparing(pod -> pod.ref().uid()))
            .map(pod -> pod.ref().uid())
            .orElse("");
      }

      private static Instant created(GatedPod pod) {
        return pod.facts().rank().since();
      }
    }
  }

  /**
   * The state of a group.
   *
   * @param waiting its pods without a node, neither finished nor being deleted; one is at the gate
   * @param all its pods according to the server, if that is known
   */
  public static GroupState of(
      ImmutableList<GatedPod> waiting, Optional<ImmutableList<MemberFacts>> all) {
    Optional<String> problem = problem(waiting);
    if (problem.isPresent()) {
      return new GroupState.Invalid(problem.get());
    }
    int size = size(label(waiting.get(0))).orElseThrow();
    if (all.isEmpty() && waiting.size() < size) {
      return new GroupState.Unknown();
    }
    ImmutableList<GatedPod> atGate =
        waiting.stream()
            .filter(pod -> pod.gated() && !pod.heldByOthers())
            .sorted(
                comparing((GatedPod pod) -> pod.facts().rank())
                    .thenComparing(pod -> pod.ref().name()))
            .collect(toImmutableList());
    int needed = Math.max(1, size - started(waiting, all.orElse(ImmutableList.of())).size());
    return atGate.size() < needed
        ? new GroupState.Incomplete(atGate.size(), needed, size)
        : new GroupState.Ready(
            atGate.subList(0, needed), size, staying(waiting, all.orElse(ImmutableList.of())));
  }

  private static ImmutableSet<ClaimRef> staying(
      ImmutableList<GatedPod> waiting, ImmutableList<MemberFacts> all) {
    return Stream.concat(
            waiting.stream()
                .filter(pod -> !pod.gated())
                .flatMap(pod -> pod.facts().claimRefs().stream()),
            all.stream().filter(MemberFacts::runs).flatMap(member -> member.claims().stream()))
        .limit(MemberFacts.MAX_CLAIMS_OF_ALL)
        .collect(toImmutableSet());
  }

  /** Whether its labels make a pod a member of a group. */
  public static boolean isValid(GroupLabel label) {
    return !label.disputed() && size(label).isPresent();
  }

  private static ImmutableSet<PodRef> started(
      ImmutableList<GatedPod> waiting, ImmutableList<MemberFacts> all) {
    ImmutableSet<PodRef> atGate =
        waiting.stream().filter(GatedPod::gated).map(GatedPod::ref).collect(toImmutableSet());
    ImmutableSet<String> owners =
        all.stream()
            .filter(member -> atGate.contains(member.pod()))
            .flatMap(member -> member.owner().stream())
            .collect(toImmutableSet());
    return Stream.concat(
            waiting.stream().filter(pod -> !pod.gated()).map(GatedPod::ref),
            all.stream().filter(member -> member.counts(owners)).map(MemberFacts::pod))
        .filter(pod -> !atGate.contains(pod))
        .collect(toImmutableSet());
  }

  private static Optional<String> problem(ImmutableList<GatedPod> waiting) {
    GatedPod first = waiting.get(0);
    return waiting.stream().flatMap(pod -> problem(pod, first).stream()).findFirst();
  }

  private static Optional<String> problem(GatedPod pod, GatedPod first) {
    GroupLabel label = label(pod);
    if (label.disputed()) {
      return Optional.of(
          "the labels of pod %s name two groups, or two sizes".formatted(pod.ref().name()));
    }
    if (size(label).isEmpty()) {
      return Optional.of(
          "the size of the group is \"%s\" on pod %s: a number from %s to %s is allowed"
              .formatted(label.size(), pod.ref().name(), MIN_SIZE, MAX_SIZE));
    }
    return label.size().equals(label(first).size())
        ? Optional.empty()
        : Optional.of(
            "the size of the group is %s on pod %s, and %s on pod %s"
                .formatted(
                    label(first).size(), first.ref().name(), label.size(), pod.ref().name()));
  }

  private static GroupLabel label(GatedPod pod) {
    return pod.facts().group().orElseThrow();
  }

  private static Optional<Integer> size(GroupLabel label) {
    return Optional.ofNullable(Ints.tryParse(label.size()))
        .filter(size -> size >= MIN_SIZE && size <= MAX_SIZE);
  }
}
