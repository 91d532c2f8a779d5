package io.gpudra.controller.gate.testing;

import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.SlowListException;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The pods without a node of a {@link World}, whose server also gets the writes of gates. */
public final class FakeGatedPods implements GatedPods {
  /** The controller of all pods without a node. */
  public static final String OWNER = "job-uid";

  private final World world;
  private final Map<String, GatedPod> pods = new LinkedHashMap<>();

  /** Pods that run by now, which the watch does not show yet. */
  public final Set<PodRef> running = new HashSet<>();

  /** The number of times that the pods of a unit were listed. */
  public int looks;

  /** The server answers no read. */
  public boolean silent;

  /** Lists have too many bytes. */
  public boolean tooLarge;

  /** Lists take too long. */
  public boolean tooSlow;

  /** Further pods of groups, such as those with a node. */
  private final List<MemberFacts> others = new ArrayList<>();

  public FakeGatedPods(World world) {
    this.world = world;
  }

  /** A user or the scheduler writes the pod. */
  public void put(GatedPod pod) {
    pods.put(pod.ref().name(), pod);
    world.requeuer.wake(WorkKey.gate(pod.unit()));
  }

  /** The pod has a node or is gone. */
  public void remove(String name) {
    Optional.ofNullable(pods.remove(name))
        .ifPresent(last -> world.requeuer.wake(WorkKey.gate(last.unit())));
  }

  public boolean isGated(String name) {
    return Optional.ofNullable(pods.get(name)).orElseThrow().gated();
  }

  @Override
  public ImmutableList<GatedPod> ofUnit(ObjectKey unit) {
    looks++;
    return found(unit);
  }

  private ImmutableList<GatedPod> found(ObjectKey unit) {
    return pods.values().stream()
        .filter(pod -> pod.unit().equals(unit))
        .sorted(comparing(pod -> pod.facts().rank()))
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public boolean isAtGate(ObjectKey unit) {
    return found(unit).stream().anyMatch(GatedPod::waitsAtGate);
  }

  @Override
  public ImmutableSet<ObjectKey> units() {
    return pods.values().stream().map(GatedPod::unit).collect(ImmutableSet.toImmutableSet());
  }

  @Override
  public boolean awaitsNode(PodRef pod) throws ApiUnavailableException {
    return !read(pod);
  }

  @Override
  public boolean isGated(PodRef pod) throws ApiUnavailableException {
    return !read(pod) && isGated(pod.name());
  }

  /** A member with a node, and its claim. */
  public void bound(PodRef pod, MemberFacts.Phase phase, ClaimRef claim) {
    others.add(
        new MemberFacts(
            pod,
            Optional.of(OWNER),
            /* bound= */ true,
            /* deleting= */ false,
            phase,
            ImmutableSet.of(claim)));
  }

  /** Returns whether the pod runs. */
  private boolean read(PodRef pod) throws ApiUnavailableException {
    world.cluster.calls.add("GET pod " + pod.name());
    if (silent) {
      throw new ApiUnavailableException("read pod " + pod);
    }
    return running.contains(pod);
  }

  @Override
  public Optional<ImmutableList<MemberFacts>> members(ObjectKey group)
      throws ApiUnavailableException, SlowListException {
    world.cluster.calls.add("LIST pods of " + group.name());
    if (silent) {
      throw new ApiUnavailableException("list " + group);
    }
    if (tooSlow) {
      throw new SlowListException("list " + group, new IOException("21 s"));
    }
    return tooLarge ? Optional.empty() : Optional.of(listed(group));
  }

  private ImmutableList<MemberFacts> listed(ObjectKey group) {
    return Stream.concat(
            others.stream(),
            found(group).stream()
                .map(
                    pod ->
                        new MemberFacts(
                            pod.ref(),
                            Optional.of(OWNER),
                            /* bound= */ false,
                            pod.facts().deleting(),
                            MemberFacts.Phase.ALIVE,
                            pod.facts().claimRefs())))
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public Kind lift(GatedPod seen) {
    return world.cluster.write("lift", seen.ref().name(), () -> stored(seen)).kind();
  }

  private WriteOutcome stored(GatedPod seen) {
    GatedPod now = pods.get(seen.ref().name());
    if (now == null || !now.ref().equals(seen.ref())) {
      return WriteOutcome.of(Kind.GONE);
    }
    put(now.lifted());
    return WriteOutcome.of(Kind.DONE);
  }
}
