package io.gpudra.controller.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Devices for all members of a group, or for none. */
final class GpuGroupPlacerTest {
  private static final Waiter GROUP =
      new Waiter(
          new WaitRank(0, Instant.EPOCH), "uid", WorkKey.gate(new ObjectKey(Some.NS, "group/g")));
  private static final GrantAudit STAMP = new GrantAudit(3, Instant.EPOCH);
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int LARGE = 1_024;

  private final Ledgers ledgers = new Ledgers();
  private final GpuGroupPlacer placer = new GpuGroupPlacer(ledgers, () -> STAMP, turns(ledgers));

  private static GroupTurns turns(Ledgers ledgers) {
    GroupTurns.Times times = new GroupTurns.Times(Duration.ofHours(1), Duration.ofHours(1));
    return new GroupTurns(ledgers, times, () -> 0, () -> Instant.EPOCH, (work, delay) -> {});
  }

  private static Inventory inventory(String node, int gpus) {
    return GroupFixture.node(node, gpus).inventory();
  }

  private static PendingClaim<GpuRequest> claim(String name, int gpus) {
    return claim(GroupFixture.claim(name, gpus));
  }

  private static PendingClaim<GpuRequest> claim(ClaimRequest claim) {
    GpuRequest request =
        new GpuRequest(
            claim.alternatives(),
            Optional.empty(),
            AllocationPolicy.PACK,
            ImmutableList.of(),
            /* shareable= */ false,
            OptionalLong.empty());
    ClassFacts gpu = new ClassFacts("gpu", Some.DRIVER, false, Optional.empty(), Optional.empty());
    return new PendingClaim<>(Some.claim(claim.ref().name()).facts(), gpu, request);
  }

  private static Member<GpuRequest> member(String pod, int gpus) {
    return member(pod, claim("of-" + pod, gpus));
  }

  private static Member<GpuRequest> member(String pod, PendingClaim<GpuRequest> claim) {
    return new Member<>(
        new PodRef(Some.NS, pod, pod + "-uid"),
        ImmutableList.of(claim),
        GroupFixture.demand(1),
        Optional.empty());
  }

  private static Member<GpuRequest> elsewhere(Member<GpuRequest> member) {
    PodRef pod = new PodRef("other", member.pod().name(), member.pod().uid());
    return new Member<>(pod, member.claims(), member.demand(), member.node());
  }

  private static ImmutableList<Member<GpuRequest>> members(int count, int gpus) {
    return IntStream.range(0, count)
        .mapToObj(i -> member("p" + i, gpus))
        .collect(ImmutableList.toImmutableList());
  }

  private GroupPlacing place(ImmutableList<Member<GpuRequest>> members) {
    return placer.place(members, ImmutableSet::of, GROUP);
  }

  private static ClaimUid uid(String pod) {
    return Some.claim("of-" + pod).facts().uid();
  }

  private int held() {
    return ledgers.snapshot().stream().map(NodeLedger::holds).mapToInt(holds -> holds.size()).sum();
  }

  @Test
  void aGroupIsHeldOnSeveralNodesByOneOwner() {
    ledgers.observe(inventory("a", 2));
    ledgers.observe(inventory("b", 1));
    GroupPlacing.Placed placed = (GroupPlacing.Placed) place(members(3, 1));

    assertThat(placed.handles()).containsOnlyKeys(uid("p0"), uid("p1"), uid("p2"));
    assertThat(placed.handles().values())
        .extracting(handle -> handle.node().orElseThrow())
        .containsExactlyInAnyOrder("a", "a", "b");
    assertThat(ledgers.ledger("b").holds().values())
        .allMatch(hold -> hold.inFlightBy(GROUP.work().owner()));
  }

  @Test
  void nothingIsHeldForAGroupThatDoesNotFit() {
    ledgers.observe(inventory("a", 3));
    ledgers.observe(inventory("b", 1));

    assertThat(place(members(3, 2))).isEqualTo(new GroupPlacing.TooFew(1));
    assertThat(held()).isZero();
  }

  @Test
  void reservedNodesAreLeftToOthers() {
    ledgers.observe(inventory("a", 2));
    ledgers.observe(inventory("b", 2));

    assertThat(placer.place(members(3, 1), () -> ImmutableSet.of("a"), GROUP))
        .isEqualTo(new GroupPlacing.TooFew(2));
  }

  @Test
  void aNodeThatRefusesANameIsLeftOut() {
    PreparedClaim earlier =
        GrantFixture.preparedWhole(new ClaimUid("earlier"), Some.ref("of-p0"), "GPU-b-0");
    ledgers.observe(inventory("a", 4));
    ledgers.observe(NodeFixture.like(inventory("b", 4)).prepared(earlier).inventory());
    GroupPlacing.Placed placed = (GroupPlacing.Placed) place(members(3, 1));

    assertThat(placed.handles().values())
        .allMatch(handle -> handle.node().equals(Optional.of("a")));
  }

  @Test
  void aNodeThatChangesDuringEachSearchIsNotOneThatRefuses() {
    ledgers.observe(inventory("a", 2));
    AtomicInteger searches = new AtomicInteger();
    ClaimUid other = new ClaimUid("other");
    Grant grant =
        GrantFixture.grant(other, "a", GrantFixture.device("gpu-1", GrantedPart.whole("GPU-a-1")));
    FixedPredicate changing =
        inventory -> {
          boolean held = searches.incrementAndGet() % 2 == 1;
          ledgers.observe(Some.ref("other"), other, Optional.of(grant).filter(unused -> held));
          return FixedPredicate.all(inventory);
        };

    List<ClaimRef> lost = new ArrayList<>();
    GpuGroupPlacer losing = new GpuGroupPlacer(ledgers, () -> STAMP, turns(ledgers), lost::add);
    Member<GpuRequest> member = member("p", claim(GroupFixture.claim("of-p", 1, changing)));

    assertThat(losing.place(ImmutableList.of(member), ImmutableSet::of, GROUP))
        .isEqualTo(new GroupPlacing.Busy());
    assertThat(ledgers.ledger("a").holds()).doesNotContainKey(uid("p"));
    assertThat(lost).containsExactly(Some.ref("of-p"));
  }

  @Test
  void aQuotaSeesTheGroupAsOne() {
    CommitGuard two =
        new CommitGuard() {
          @Override
          public Before before(PodRequest request) {
            return new Before.GoOn(request);
          }

          @Override
          public void changed(NodeLedger before, NodeLedger after) {}

          @Override
          public Optional<Limit> ask(
              ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next) {
            int more = next.stream().mapToInt(node -> node.holds().size()).sum();
            return more > 2
                ? Optional.of(
                    new Limit(StatedReason.of(Kind.QUOTA_EXCEEDED), ImmutableSet.of("two")))
                : Optional.empty();
          }
        };
    Ledgers limited = new Ledgers(two);
    limited.observe(inventory("a", 2));
    limited.observe(inventory("b", 2));
    GpuGroupPlacer guarded = new GpuGroupPlacer(limited, () -> STAMP, turns(limited));

    assertThat(guarded.place(members(3, 1), ImmutableSet::of, GROUP))
        .isInstanceOf(GroupPlacing.Limited.class);
    assertThat(guarded.place(members(2, 1), ImmutableSet::of, GROUP))
        .isInstanceOf(GroupPlacing.Placed.class);
  }

  @Test
  void aGroupThatEverMoreNodesRefuseIsNotSearchedForEver() {
    IntStream.range(0, 20)
        .forEach(
            i -> {
              PreparedClaim earlier =
                  GrantFixture.preparedWhole(
                      new ClaimUid("earlier"), Some.ref("of-p0"), "GPU-n%s-0".formatted(i));
              ledgers.observe(
                  NodeFixture.like(inventory("n" + i, 2)).prepared(earlier).inventory());
            });

    assertThat(place(members(1, 1))).isEqualTo(new GroupPlacing.Undecided(0));
    assertThat(held()).isZero();
  }

  @Test
  void moreMembersThanAGroupHasAreNotSearched() {
    ledgers.observe(inventory("a", 2));

    assertThat(place(members(LARGE + 1, 1))).isEqualTo(new GroupPlacing.Undecided(0));
  }

  @Test
  void theLargestGroupIsHeldWithinASecond() {
    GroupFixture.nodes(LARGE / 8, 8).forEach(node -> ledgers.observe(node.inventory()));
    ImmutableList<Member<GpuRequest>> members = members(LARGE, 1);
    long before = System.nanoTime();

    assertThat(place(members)).isInstanceOf(GroupPlacing.Placed.class);
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(LIMIT);
    assertThat(held()).isEqualTo(LARGE);
  }

  @Test
  void groupsOfANamespaceAreSearchedOneAtATime() throws Exception {
    ledgers.observe(inventory("a", 2));
    CountDownLatch searching = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<GroupPlacing> first =
          thread.submit(
              () ->
                  placer.place(
                      members(2, 1),
                      () -> {
                        searching.countDown();
                        Uninterruptibles.awaitUninterruptibly(other);
                        return ImmutableSet.of();
                      },
                      GROUP));
      searching.await();

      assertThat(place(members(2, 1))).isEqualTo(new GroupPlacing.Busy(1));
      assertThat(place(members(2, 1))).isEqualTo(new GroupPlacing.Busy(2));
      assertThat(place(ImmutableList.of(elsewhere(member("q", 3)))))
          .isEqualTo(new GroupPlacing.TooFew(0));
      other.countDown();
      assertThat(first.get()).isInstanceOf(GroupPlacing.Placed.class);
    } finally {
      thread.shutdownNow();
    }
  }
}
