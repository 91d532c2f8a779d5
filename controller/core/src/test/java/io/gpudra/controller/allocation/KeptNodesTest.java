package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.SOMEBODY_ELSE;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.refusal;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.WaitRank;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Devices that are kept for others. */
class KeptNodesTest {
  private final TwoNodes nodes = new TwoNodes();
  private final Ledgers ledgers = nodes.ledgers;

  /** Keeps one of the two GPUs of a node, but not from its owner. */
  private record OneGpu(String node, HoldOwner owner) implements KeptNodes {
    @Override
    public boolean concern(String other) {
      return other.equals(node);
    }

    @Override
    public boolean concern(String other, PodRequest request) {
      return concern(other) && request.rank().priority() <= 0;
    }

    @Override
    public Optional<UnsuitableReason> refuse(
        NodeLedger seen, NodeLedger next, PodRequest request, HoldOwner asking) {
      return asking.equals(owner) || next.occupied().size() <= 1
          ? Optional.empty()
          : Optional.of(StatedReason.of(Kind.ON_OFFER));
    }
  }

  private void assertKept(CommitResult refused, String node, String claim) {
    assertThat(reason(refused, node, claim).kind()).isEqualTo(Kind.ON_OFFER);
    assertThat(ledgers.ledger(node).holds()).isEmpty();
  }

  @Test
  void whatIsKeptIsNotCommittedAndTheRestIs() {
    ledgers.keep(unused -> new OneGpu("n0", SOMEBODY_ELSE));

    assertKept(ledgers.commit("n0", pod(wants("a", 2)), OWNER, STAMP), "n0", "a");
    assertKept(
        ledgers.commitAll(ImmutableMap.of("n0", pod(wants("a", 2))), OWNER, STAMP), "n0", "a");
    assertThat(ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void theOwnerIsNotKeptFromIt() {
    ledgers.keep(unused -> new OneGpu("n0", OWNER));

    assertThat(ledgers.commit("n0", pod(wants("a", 2)), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void theNextBestNodeIsTakenInstead() {
    ledgers.keep(unused -> new OneGpu("n0", SOMEBODY_ELSE));

    assertThat(ledgers.commitBest(pod(wants("a", 2)), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n1"));
    CommitResult refused = ledgers.commitBest(pod(wants("b", 2)), OWNER, STAMP);
    assertThat(reason(refused, "n0", "b").kind()).isEqualTo(Kind.ON_OFFER);
  }

  @Test
  void theSchedulerIsToldOfNodesThatAreKept() {
    ledgers.keep(unused -> new OneGpu("n0", SOMEBODY_ELSE));

    assertThat(refusal(ledgers, "n0", pod(wants("a", 2)), new SearchBudget()))
        .hasValueSatisfying(no -> assertThat(reason(no, "a").kind()).isEqualTo(Kind.ON_OFFER));
    assertThat(refusal(ledgers, "n0", pod(wants("a", 1)), new SearchBudget())).isEmpty();
    assertThat(refusal(ledgers, "n1", pod(wants("a", 2)), new SearchBudget())).isEmpty();
  }

  @Test
  void noNodeIsAskedForARankFromWhichNothingIsKept() {
    ledgers.keep(unused -> new OneGpu("n0", SOMEBODY_ELSE));
    PodRequest first =
        new PodRequest(ImmutableList.of(wants("a", 2)), new WaitRank(1, Instant.MAX));

    assertThat(refusal(ledgers, "n0", first, new SearchBudget())).isEmpty();
  }

  /** Nodes that refuse all. */
  private record All(String prefix, AtomicInteger questions) implements KeptNodes {
    @Override
    public boolean concern(String node) {
      return node.startsWith(prefix);
    }

    @Override
    public boolean concern(String node, PodRequest request) {
      return concern(node);
    }

    @Override
    public Optional<UnsuitableReason> refuse(
        NodeLedger seen, NodeLedger next, PodRequest request, HoldOwner owner) {
      questions.incrementAndGet();
      return Optional.of(StatedReason.of(Kind.ON_OFFER));
    }
  }

  @Test
  void aCommitAsksFewOfTheNodesThatRefuseIt() {
    AtomicInteger questions = new AtomicInteger();
    for (int i = 0; i < 1_000; i++) {
      ledgers.observe(inventory("kept-%03d".formatted(i), 2));
    }
    ledgers.keep(unused -> new All("kept", questions));

    assertThat(ledgers.commitBest(pod(wants("a", 2)), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n0"));
    assertThat(questions).hasValue(32);
    ledgers.keep(unused -> new All("", questions));
    CommitResult refused = ledgers.commitBest(pod(wants("b", 2)), OWNER, STAMP);
    assertThat(reason(refused, "n1", "b").kind()).isEqualTo(Kind.NODE_KEPT);
    assertThat(questions).hasValue(64);
  }

  private static String kept(int node) {
    return "kept-%03d".formatted(node);
  }

  private ImmutableMap<String, Placement.DoesNotFit> ask(String claim, int gpus) {
    ImmutableSet<String> all =
        ledgers.snapshot().stream().map(NodeLedger::node).collect(ImmutableSet.toImmutableSet());
    return ledgers.refusals(all, pod(wants(claim, gpus)), new SearchBudget());
  }

  @Test
  void aPassOfTheSchedulerAsksFewOfTheNodesThatAreKept() {
    AtomicInteger questions = new AtomicInteger();
    IntStream.range(0, 100).forEach(i -> ledgers.observe(inventory(kept(i), 2)));
    ledgers.keep(unused -> new All("kept", questions));

    ImmutableMap<String, Placement.DoesNotFit> first = ask("a", 2);
    assertThat(questions).hasValue(32);
    assertThat(first).hasSize(100);
    assertThat(first.values().stream().map(no -> reason(no, "a").kind()))
        .filteredOn(Kind.NODE_KEPT::equals)
        .hasSize(68);
    for (int pass = 0; pass < 5; pass++) {
      assertThat(ask("b" + pass, 2)).hasSize(100);
    }
    assertThat(questions).as("each node once for all equal pods").hasValue(100);
    assertThat(ask("c", 2).values()).allMatch(no -> reason(no, "c").kind() == Kind.ON_OFFER);

    ledgers.observe(inventory(kept(5), 3));
    assertThat(ask("d", 2)).hasSize(100);
    assertThat(questions).as("the node that changed").hasValue(101);
    ledgers.keep(unused -> new All("kept", questions));
    assertThat(ask("e", 2)).hasSize(100);
    assertThat(questions).as("what is kept now").hasValue(133);
  }

  @Test
  void fewRequestsForNodesThatAreKeptAreRemembered() {
    AtomicInteger questions = new AtomicInteger();
    ledgers.observe(inventory(kept(0), 60));
    ledgers.keep(unused -> new All("kept", questions));

    ask(80, i -> Samples.of("team-" + i % 40, wants("c" + i, 1 + i % 40)));

    assertThat(questions).hasValue(80);
  }

  private void ask(int count, IntFunction<ClaimRequest> claim) {
    for (int i = 0; i < count; i++) {
      assertThat(refusal(ledgers, kept(0), pod(claim.apply(i)), new SearchBudget())).isPresent();
    }
  }

  private static ClaimRequest large(String claim, int number) {
    return wants(claim, 2, 3, "x".repeat(40_000) + number);
  }

  @Test
  void largeRequestsForNodesThatAreKeptAreNotRemembered() {
    AtomicInteger questions = new AtomicInteger();
    ledgers.observe(inventory(kept(0), 60));
    ledgers.keep(unused -> new All("kept", questions));

    ask(10, i -> large("a" + i, 0));

    assertThat(questions).hasValue(10);
  }

  @Test
  void manyRequestsOfANamespaceForgetNoAnswerOfOthers() {
    AtomicInteger questions = new AtomicInteger();
    ledgers.observe(inventory(kept(0), 60));
    ledgers.keep(unused -> new All("kept", questions));

    ask(20, i -> Samples.of("team-b", wants("b" + i, i + 1)));
    ask(1_000, i -> wants("a" + i, 21 + i % 39));
    int before = questions.get();
    ask(20, i -> Samples.of("team-b", wants("d" + i, i + 1)));

    assertThat(questions).hasValue(before);
  }

  @Test
  void aNamespaceMayHaveAllPlacesThatOthersDoNotUse() {
    AtomicInteger questions = new AtomicInteger();
    ledgers.observe(inventory(kept(0), 60));
    ledgers.keep(unused -> new All("kept", questions));

    ask(320, i -> wants("a" + i, 1 + i % 32));

    assertThat(questions).hasValue(32);
  }

  @Test
  void eachNodeIsAskedInSomePassThoughNothingIsRemembered() {
    IntStream.range(0, 100).forEach(i -> ledgers.observe(inventory(kept(i), 2)));
    ledgers.keep(unused -> new All("kept", new AtomicInteger()));
    ImmutableSet<String> all =
        ledgers.snapshot().stream().map(NodeLedger::node).collect(ImmutableSet.toImmutableSet());

    Set<String> asked = new HashSet<>();
    for (int pass = 0; pass < 64; pass++) {
      ImmutableMap<String, Placement.DoesNotFit> refusals =
          ledgers.refusals(all, pod(large("a", 0)), new SearchBudget());
      if (pass % 4 == 0) {
        asked.addAll(
            Maps.filterValues(refusals, no -> reason(no, "a").kind() == Kind.ON_OFFER).keySet());
      }
    }

    assertThat(asked).hasSize(100);
  }

  @Test
  void aPodThatHoldsDevicesOfAKeptNodeIsNotAnsweredAsOthersAre() {
    ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    ledgers.keep(unused -> new All("n0", new AtomicInteger()));

    assertThat(refusal(ledgers, "n0", pod(wants("b", 1)), new SearchBudget())).isPresent();
    assertThat(refusal(ledgers, "n0", pod(wants("a", 1)), new SearchBudget())).isEmpty();
  }

  @Test
  void whatIsHeldAlreadyIsNotRefused() {
    CommitResult first = ledgers.commit("n0", pod(wants("a", 2)), OWNER, STAMP);
    ledgers.keep(unused -> new OneGpu("n0", SOMEBODY_ELSE));

    assertThat(ledgers.commit("n0", pod(wants("a", 2)), OWNER, STAMP)).isEqualTo(first);
    assertThat(refusal(ledgers, "n0", pod(wants("a", 2)), new SearchBudget())).isEmpty();
  }

  @Test
  void whatIsKeptSinceTheSearchIsNotCommitted() {
    KeptNodes late = new OneGpu("n0", SOMEBODY_ELSE);
    KeptNodes early =
        new KeptNodes() {
          @Override
          public boolean concern(String node) {
            return true;
          }

          @Override
          public boolean concern(String node, PodRequest request) {
            return true;
          }

          @Override
          public Optional<UnsuitableReason> refuse(
              NodeLedger seen, NodeLedger next, PodRequest request, HoldOwner owner) {
            ledgers.keep(unused -> late);
            return Optional.empty();
          }
        };
    ledgers.keep(unused -> early);

    assertKept(ledgers.commit("n0", pod(wants("a", 2)), OWNER, STAMP), "n0", "a");
  }

  @Test
  void nodesAreKeptAsTheLedgersAreAtThatMoment() {
    ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);

    ledgers.keep(
        node -> {
          assertThat(node.apply("n0").occupied()).hasSize(1);
          return KeptNodes.NONE;
        });
  }

  @Test
  void whatIsKeptNoLongerIsNotTakenBeforeThoseWhoWaitAreTold() {
    List<CommitResult> meanwhile = new ArrayList<>();
    List<Ledgers> asked = new ArrayList<>();
    Ledgers telling =
        Samples.telling(
            new RecordingListener() {
              @Override
              public void freed(String node, int devices) {
                asked.forEach(of -> meanwhile.add(taken(of)));
              }
            });
    telling.observe(inventory("n0", 1));
    telling.keep(unused -> new All("n0", new AtomicInteger()));
    asked.add(telling);
    telling.keep(unused -> KeptNodes.NONE);

    assertThat(meanwhile).singleElement().isInstanceOf(CommitResult.NoNode.class);
    assertThat(taken(telling)).isInstanceOf(CommitResult.Committed.class);
  }

  private static CommitResult taken(Ledgers of) {
    return of.commitBestBut(ImmutableSet::of, pod(wants("b", 1)), OWNER, STAMP);
  }

  @Test
  void whatIsKeptNoLongerIsFreed() {
    ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    ledgers.keep(unused -> new OneGpu("n0", SOMEBODY_ELSE));
    nodes.listener.told();
    ledgers.keep(unused -> new OneGpu("n0", OWNER));
    assertThat(nodes.listener.told()).isEmpty();

    ledgers.keep(unused -> new OneGpu("n1", OWNER));
    assertThat(nodes.listener.told()).containsExactly("n0 freed 1");
  }
}
