package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableListMultimap.toImmutableListMultimap;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.view.UserView;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The groups with members at the gate of the driver: nodes may be kept for one of them. */
public final class GroupsAtGates {
  /** The reason of the events about nodes that are kept. */
  public static final String REASON = KeptNodesNotice.REASON;

  /** Each namespace costs a call of the API server. */
  private static final int MAX_NAMESPACES = 16;

  /** While nodes are kept, the event comes again every five minutes. */
  private static final Duration MAX_AGE = Duration.ofMinutes(10);

  /** Clocks may differ that much. Tenants can write events, which must not count for longer. */
  private static final Duration MAX_AHEAD = Duration.ofMinutes(1);

  private final ImmutableListMultimap<ObjectKey, PodFacts> members;

  /** The group of each pod. */
  private final ImmutableMap<ObjectKey, ObjectKey> units;

  /**
   * An event about nodes that are kept.
   *
   * @param at the last time
   */
  public record SeenNotice(String namespace, String pod, Instant at, String message) {}

  /** The groups of one snapshot. */
  public GroupsAtGates(UserView userView) {
    String gate = new GateName(userView.cluster().driver().name()).own();
    this.members =
        userView.objects().pods().stream()
            .filter(pod -> pod.node().isEmpty() && pod.scheduling().gates().contains(gate))
            .map(PodView::facts)
            .filter(pod -> pod.group().isPresent() && !pod.deleting())
            .collect(toImmutableListMultimap(GatedPod::unit, pod -> pod));
    this.units =
        members.entries().stream()
            .collect(toImmutableMap(member -> pod(member.getValue()), Map.Entry::getKey));
  }

  /** Their namespaces, that of the first group by rank first. */
  public ImmutableList<String> namespaces() {
    return members.asMap().entrySet().stream()
        .sorted(Comparator.comparing(unit -> rank(unit.getValue())))
        .map(unit -> unit.getKey().namespace())
        .distinct()
        .limit(MAX_NAMESPACES)
        .collect(toImmutableList());
  }

  /** A group has the rank of its last member. */
  private static WaitRank rank(Collection<PodFacts> pods) {
    return Collections.max(pods.stream().map(PodFacts::rank).toList());
  }

  /** Whether this is the text of an event about nodes that are kept, or are no longer. */
  public static boolean isNotice(String message) {
    return isEnd(message) || KeptNodesNotice.parse(message).isPresent();
  }

  /**
   * The group for which nodes are kept now: that of the latest event about a group that still
   * waits, if no event says that they are kept no longer. Tenants can write such events for their
   * own groups, and hide those of others.
   */
  public Optional<GroupWithNodes> kept(Collection<SeenNotice> events, Instant now) {
    ImmutableListMultimap<Boolean, SeenNotice> byEnd =
        events.stream()
            .filter(event -> event.at().isAfter(now.minus(MAX_AGE)))
            .filter(event -> !event.at().isAfter(now.plus(MAX_AHEAD)))
            .collect(toImmutableListMultimap(event -> isEnd(event.message()), event -> event));
    ImmutableMap<ObjectKey, Instant> ends =
        byEnd.get(true).stream()
            .collect(toImmutableMap(GroupsAtGates::pod, SeenNotice::at, Comparators::max));
    return byEnd.get(false).stream()
        .sorted(Comparator.comparing(SeenNotice::at).reversed())
        .flatMap(
            event ->
                KeptNodesNotice.parse(event.message())
                    .filter(notice -> notice.until().isAfter(now))
                    .flatMap(notice -> group(event, notice, ends))
                    .stream())
        .findFirst();
  }

  private static boolean isEnd(String message) {
    return message.equals(KeptNodesNotice.ENDED);
  }

  private Optional<GroupWithNodes> group(
      SeenNotice event, KeptNodesNotice notice, ImmutableMap<ObjectKey, Instant> ends) {
    return Optional.ofNullable(units.get(pod(event)))
        .map(members::get)
        .filter(pods -> pods.stream().noneMatch(pod -> isEnded(event, ends.get(pod(pod)))))
        .map(
            pods ->
                new GroupWithNodes(event.namespace(), name(pods), rank(pods).priority(), notice));
  }

  private static boolean isEnded(SeenNotice event, @Nullable Instant end) {
    return end != null && !end.isBefore(event.at());
  }

  private static ObjectKey pod(SeenNotice event) {
    return new ObjectKey(event.namespace(), event.pod());
  }

  private static ObjectKey pod(PodFacts pod) {
    return new ObjectKey(pod.ref().namespace(), pod.ref().name());
  }

  private static String name(Collection<PodFacts> pods) {
    return pods.iterator().next().group().map(GroupLabel::name).orElseThrow();
  }
}
