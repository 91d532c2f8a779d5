package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Nodes with whole GPUs, single pods and groups, under a clock that the test moves. */
final class GroupWorld {
  static final Duration PATIENCE = Duration.ofMinutes(5);
  static final Duration HOLD = Duration.ofMinutes(30);

  final Ledgers ledgers;

  /** The groups that were woken. */
  final List<String> woken = new ArrayList<>();

  GroupTurns turns;
  private GpuGroupPlacer placer;
  private Duration now = Duration.ZERO;

  /** By this the clock moves on at each look. */
  Duration step = Duration.ZERO;

  GroupWorld() {
    this(CommitGuard.NONE);
  }

  GroupWorld(CommitGuard guard) {
    ledgers = new Ledgers(guard);
    lead();
  }

  /** A new leader has the ledgers and nothing else. */
  void lead() {
    turns =
        new GroupTurns(
            ledgers,
            new GroupTurns.Times(PATIENCE, HOLD),
            this::nanos,
            () -> Some.EPOCH.plus(now),
            (work, delay) -> woken.add(work.key().name()));
    placer = new GpuGroupPlacer(ledgers, this::stamp, turns);
  }

  GroupWorld node(String name, int gpus) {
    ledgers.observe(GroupFixture.node(name, gpus).inventory());
    return this;
  }

  /** The node gets no more pods. */
  void cordon(String name) {
    Inventory lost = ledgers.ledger(name).inventory();
    ledgers.observe(NodeFixture.like(lost).state(NodeFixture.cordoned(lost.node())).inventory());
  }

  private GrantAudit stamp() {
    return new GrantAudit(1, Some.EPOCH.plus(now));
  }

  private long nanos() {
    now = now.plus(step);
    return now.toNanos();
  }

  Duration now() {
    return now;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  GroupPlacing place(WaitingGroup group) {
    return placer.place(group.pods(), ImmutableSet::of, group.waiter());
  }

  /** The group is placed by a search that takes this time. */
  GroupPlacing placeWithin(Duration search, WaitingGroup group) {
    return placer.place(
        group.pods(),
        () -> {
          pass(search);
          return ImmutableSet.of();
        },
        group.waiter());
  }

  /** The group is placed, of which other pods run with these claims. */
  GroupPlacing placeBeside(WaitingGroup group, String... running) {
    ImmutableSet<ClaimRef> staying =
        Stream.of(running)
            .map(claim -> GroupFixture.claim(claim, 1).ref())
            .collect(toImmutableSet());
    return placer.place(
        group.pods().stream()
            .map(pod -> new Member<>(pod.pod(), pod.claims(), pod.demand(), pod.node(), staying))
            .collect(toImmutableList()),
        ImmutableSet::of,
        group.waiter());
  }

  /** The group is placed after a time. */
  GroupPlacing placeAfter(Duration time, WaitingGroup group) {
    pass(time);
    return place(group);
  }

  /** What is said of the nodes that are kept for the group. */
  Optional<KeptNodesNotice> notice(WaitingGroup group) {
    return placer.kept(group.work());
  }

  void leave(WaitingGroup group) {
    placer.leave(group.work());
  }

  /** A single pod of the present. */
  boolean single(String claim, int gpus) {
    return single(claim, gpus, 0, now);
  }

  boolean single(String claim, int gpus, int priority, Duration since) {
    return single(GroupFixture.claim(claim, gpus), priority, since);
  }

  private boolean single(ClaimRequest request, int priority, Duration since) {
    HoldOwner owner = new HoldOwner(request.uid().value());
    CommitResult result =
        ledgers.commitBest(
            new PodRequest(
                ImmutableList.of(request), new WaitRank(priority, Some.EPOCH.plus(since))),
            owner,
            stamp());
    ledgers.granted(request.uid(), owner);
    return result instanceof CommitResult.Committed;
  }

  /** Single pods of one GPU from the beginning. */
  GroupWorld singles(String... claims) {
    for (String claim : claims) {
      if (!single(claim, 1, 0, Duration.ZERO)) {
        throw new IllegalStateException("no room for " + claim);
      }
    }
    return this;
  }

  /** Single pods of one GPU and of another namespace. */
  GroupWorld strangers(String... claims) {
    for (String claim : claims) {
      ClaimRequest request =
          RequestFixture.like(GroupFixture.claim(claim, 1)).namespace("strangers").build();
      boolean unused = single(request, 0, Duration.ZERO);
    }
    return this;
  }

  void release(String... claims) {
    for (String claim : claims) {
      release(GroupFixture.claim(claim, 1).uid());
    }
  }

  private void release(ClaimUid claim) {
    ledgers.release(claim, new HoldOwner("release"));
    // The nodes report that it is not prepared.
    ledgers.snapshot().forEach(node -> ledgers.nodeSpoke(node.node()));
  }

  /** The pods of the group run, and end. */
  void end(WaitingGroup group) {
    group.claims().forEach(claim -> ledgers.granted(claim, group.work().owner()));
    group.claims().forEach(this::release);
  }
}
