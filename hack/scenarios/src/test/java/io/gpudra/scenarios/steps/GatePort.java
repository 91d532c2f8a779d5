package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Comparator.comparing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The pods without a node over a stale cache, and patches that remove a gate. */
final class GatePort implements GatedPods {
  private final Map<String, GatedPod> cached = new TreeMap<>();
  private final Set<PodRef> lifted = new HashSet<>();
  private final Controller process;
  private final World world;
  private final Wire wire;

  GatePort(Controller process, World world) {
    this.process = process;
    this.world = world;
    this.wire = new Wire(process, world);
    pods().filter(GatePort::isWatched).forEach(pod -> changed(Facts.gatedPod(pod)));
  }

  private Stream<Pod> pods() {
    return world.api().list(Resource.PODS).stream().map(Pod::new);
  }

  /** Whether the pod has no node and is not finished: so the watch selects. */
  static boolean isWatched(Pod pod) {
    return pod.node().isEmpty() && !pod.terminal();
  }

  void changed(GatedPod pod) {
    cached.put(key(pod.ref()), pod);
    if (!pod.gated()) {
      lifted.remove(pod.ref());
    }
  }

  void gone(GatedPod last) {
    cached.remove(key(last.ref()));
    lifted.remove(last.ref());
  }

  private static String key(PodRef pod) {
    return pod.namespace() + "/" + pod.name();
  }

  @Override
  public ImmutableList<GatedPod> ofUnit(ObjectKey unit) {
    return cached.values().stream()
        .filter(pod -> pod.unit().equals(unit))
        .map(pod -> lifted.contains(pod.ref()) ? pod.lifted() : pod)
        .sorted(
            comparing((GatedPod pod) -> pod.facts().rank()).thenComparing(pod -> pod.ref().uid()))
        .collect(toImmutableList());
  }

  @Override
  public boolean isAtGate(ObjectKey unit) {
    return ofUnit(unit).stream().anyMatch(GatedPod::waitsAtGate);
  }

  @Override
  public ImmutableSet<ObjectKey> units() {
    return cached.values().stream().map(GatedPod::unit).collect(toImmutableSet());
  }

  /** Whether a member of the pod's group, of which the labels are right, is at the gate. */
  boolean isGroupAtGate(Pod pod) {
    return Facts.pod(pod)
        .group()
        .filter(group -> !group.disputed() && group.size().matches("[2-9]"))
        .map(group -> GatedPod.unit(pod.namespace(), group))
        .filter(
            unit -> ofUnit(unit).stream().anyMatch(one -> one.gated() && !one.facts().deleting()))
        .isPresent();
  }

  @Override
  public boolean awaitsNode(PodRef pod) throws ApiUnavailableException {
    return read(pod).filter(found -> found.node().isEmpty()).isPresent();
  }

  @Override
  public boolean isGated(PodRef pod) throws ApiUnavailableException {
    return read(pod).filter(found -> Facts.gates(found).contains(Facts.GATE)).isPresent();
  }

  private Optional<Pod> read(PodRef pod) throws ApiUnavailableException {
    process.awaitRead("pod " + key(pod));
    return live(pod).map(Pod::new);
  }

  private Optional<ObjectNode> live(PodRef pod) {
    return world
        .api()
        .get(Resource.PODS, pod.namespace(), pod.name())
        .filter(found -> Meta.uid(found).equals(pod.uid()));
  }

  @Override
  public Optional<ImmutableList<MemberFacts>> members(ObjectKey group)
      throws ApiUnavailableException {
    process.awaitRead("members of " + group);
    return Optional.of(
        pods()
            .filter(pod -> Facts.pod(pod).group().isPresent())
            .filter(pod -> GatedPod.unit(Facts.pod(pod)).equals(group))
            .map(Facts::member)
            .collect(toImmutableList()));
  }

  @Override
  public Kind lift(GatedPod seen) {
    process.mustLive();
    if (!process.mayWrite()) {
      return Kind.UNCLEAR;
    }
    Kind kind = wire.send("lifts " + key(seen.ref()), () -> lift(seen.ref())).kind();
    GatedPod now = cached.get(key(seen.ref()));
    if (kind == Kind.DONE && now != null && now.ref().equals(seen.ref())) {
      lifted.add(seen.ref());
    }
    process.breathe();
    return kind;
  }

  private ObjectNode lift(PodRef pod) {
    ObjectNode live = live(pod).orElseThrow(() -> Refusal.notFound(Resource.PODS, pod.name()));
    Iterables.removeIf(
        live.withObjectProperty("spec").withArrayProperty("schedulingGates"),
        gate -> gate.path("name").asText().equals(Facts.GATE));
    return world.api().update(Resource.PODS, live);
  }
}
