package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Optional;

/**
 * A pod without a node, as its gate needs it.
 *
 * @param gated whether it has the gate of this driver
 * @param heldByOthers whether it has a gate that no driver removes, such as that of a user
 * @param demand on its node, beside devices
 * @param unjudged the first of its demands that this driver cannot judge
 * @param refusal the message of the scheduler, which finds no node for it
 * @param nominated the node on which the scheduler makes room for it
 */
public record GatedPod(
    PodFacts facts,
    boolean gated,
    boolean heldByOthers,
    NodeDemand demand,
    Optional<LiftReason> unjudged,
    Optional<String> refusal,
    Optional<String> nominated) {
  private static final String GROUP = "group/";
  private static final String KUEUES_GROUP = "kueue/";

  public PodRef ref() {
    return facts.ref();
  }

  /** Whether it needs no node any more. */
  public boolean over() {
    return facts.deleting() || facts.terminal();
  }

  /** Whether it is at the gate, and may still get a node. */
  public boolean waitsAtGate() {
    return gated && !over();
  }

  /** The reason to remove the gate of a pod that has no entry for a claim. */
  public Optional<LiftReason> withoutEntries() {
    return facts.claims().stream()
            .allMatch(entry -> entry.resolution() instanceof PodFacts.Resolution.None)
        ? Optional.of(LiftReason.NO_CLAIMS)
        : Optional.empty();
  }

  /** The unit of work: the pod alone, or its group. No name of a pod has a slash. */
  public ObjectKey unit() {
    return unit(facts);
  }

  /** The unit of work of a pod at the gate. */
  public static ObjectKey unit(PodFacts pod) {
    return pod.group()
        .map(group -> unit(pod.ref().namespace(), group))
        .orElseGet(() -> alone(pod.ref()));
  }

  /** The unit of a pod that is in no group. */
  public ObjectKey alone() {
    return alone(ref());
  }

  private static ObjectKey alone(PodRef pod) {
    return new ObjectKey(pod.namespace(), "pod/" + pod.name());
  }

  /** The unit of a group. */
  public static ObjectKey unit(String namespace, GroupLabel group) {
    return new ObjectKey(
        namespace,
        switch (group.kind()) {
          case OWN -> GROUP + group.name();
          case KUEUE -> KUEUES_GROUP + group.name();
        });
  }

  /** The name of the group, if the unit is one of our labels. */
  public static Optional<String> ownGroup(ObjectKey unit) {
    return name(unit, GROUP);
  }

  /** The name of the group, if the unit is one of the labels of Kueue. */
  public static Optional<String> kueuesGroup(ObjectKey unit) {
    return name(unit, KUEUES_GROUP);
  }

  /** Whether the unit is a group. */
  static boolean isGroup(ObjectKey unit) {
    return ownGroup(unit).isPresent() || kueuesGroup(unit).isPresent();
  }

  private static Optional<String> name(ObjectKey unit, String prefix) {
    return Optional.of(unit.name())
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length()));
  }

  /** The pod without what takes memory, for which there is none left: the scheduler judges it. */
  public GatedPod crowded() {
    return crowded(/* claims= */ ImmutableList.of());
  }

  /** The same, except that its claims are kept, of which some may have to be given back. */
  public GatedPod crowdedWithClaims() {
    return crowded(facts.claims());
  }

  private GatedPod crowded(ImmutableList<PodClaim> claims) {
    return new GatedPod(
        new PodFacts(
            facts.ref(),
            facts.rank(),
            facts.group(),
            facts.deleting(),
            facts.terminal(),
            claims,
            /* containers= */ ImmutableList.of()),
        gated,
        heldByOthers,
        NodeDemand.NONE,
        Optional.of(LiftReason.CROWDED),
        Optional.empty(),
        Optional.empty());
  }

  /** The pod after its gate was removed. */
  public GatedPod lifted() {
    return new GatedPod(
        facts, /* gated= */ false, heldByOthers, demand, unjudged, refusal, nominated);
  }
}
