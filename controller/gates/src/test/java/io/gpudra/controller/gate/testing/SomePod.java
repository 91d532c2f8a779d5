package io.gpudra.controller.gate.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.LiftReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** A pod in the making: starts gated by us alone, of no claim, with no demand on its node. */
public final class SomePod {
  private PodRef ref;
  private WaitRank rank = new WaitRank(0, Some.EPOCH);
  private Optional<GroupLabel> group = Optional.empty();
  private boolean deleting;
  private boolean terminal;
  private ImmutableList<PodClaim> claims = ImmutableList.of();
  private boolean gated = true;
  private boolean heldByOthers;
  private long cpu = 1_000;
  private Optional<LiftReason> unjudged = Optional.empty();
  private Optional<String> refusal = Optional.empty();
  private Optional<String> nominated = Optional.empty();

  private SomePod(String name) {
    this.ref = World.podRef(name);
  }

  public static SomePod pod(String name) {
    return new SomePod(name);
  }

  /** A pod with entries for these claims, which it names itself. */
  public static SomePod pod(String name, String... claims) {
    return pod(name).entries(Arrays.stream(claims).map(World::direct).toArray(PodClaim[]::new));
  }

  /** An entry of which no claim is made yet. */
  public static PodClaim notYet() {
    return new PodClaim("my-later", new Resolution.NotYet());
  }

  /** An entry that needs no claim. */
  public static PodClaim none() {
    return new PodClaim("my-none", new Resolution.None());
  }

  /** An entry whose claim must be the pod's own. */
  public static PodClaim own(String claim) {
    return new PodClaim("my-" + claim, new Resolution.ResolvedTo(Some.ref(claim), true));
  }

  /** An entry for a claim of this namespace. */
  public static PodClaim of(String namespace, String claim) {
    return new PodClaim(
        "my-" + claim, new Resolution.ResolvedTo(new ClaimRef(namespace, claim), false));
  }

  public SomePod namespace(String value) {
    ref = new PodRef(value, ref.name(), ref.uid());
    return this;
  }

  public SomePod entries(PodClaim... value) {
    claims = ImmutableList.copyOf(value);
    return this;
  }

  public SomePod uid(String value) {
    ref = new PodRef(ref.namespace(), ref.name(), value);
    return this;
  }

  public SomePod priority(int value) {
    rank = new WaitRank(value, rank.since());
    return this;
  }

  /** Created so long after the first pods. */
  public SomePod since(Duration age) {
    rank = new WaitRank(rank.priority(), Some.EPOCH.plus(age));
    return this;
  }

  public SomePod inGroup(String name) {
    return inGroup(name, "2");
  }

  public SomePod inGroup(String name, String size) {
    return inGroup(new GroupLabel(GroupLabel.Kind.OWN, name, size, false));
  }

  public SomePod inGroup(GroupLabel value) {
    group = Optional.of(value);
    return this;
  }

  public SomePod deleting() {
    deleting = true;
    return this;
  }

  public SomePod finished() {
    terminal = true;
    return this;
  }

  public SomePod ungated() {
    gated = false;
    return this;
  }

  public SomePod heldByOthers() {
    heldByOthers = true;
    return this;
  }

  public SomePod cpu(long thousandths) {
    cpu = thousandths;
    return this;
  }

  public SomePod unjudged(LiftReason value) {
    unjudged = Optional.of(value);
    return this;
  }

  /** The scheduler finds no node for it. */
  public SomePod refused() {
    refusal = Optional.of("0/2 nodes are available: 2 Insufficient cpu.");
    return this;
  }

  public SomePod nominated(String node) {
    nominated = Optional.of(node);
    return this;
  }

  public GatedPod facts() {
    return new GatedPod(
        new PodFacts(ref, rank, group, deleting, terminal, claims, ImmutableList.of()),
        gated,
        heldByOthers,
        new NodeDemand(Optional.empty(), ImmutableList.of(), ImmutableMap.of("cpu", cpu)),
        unjudged,
        refusal,
        nominated);
  }
}
