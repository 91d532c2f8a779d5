package io.gpudra.controller.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Drives ledgers through random histories and checks what must hold after every step. */
class LedgersPropertiesTest {

  private static final List<String> NODES = List.of("n0", "n1");
  private static final int DEVICES = 4;
  private static final int CLAIMS = 5;

  /** One thing that happens; numbers are taken modulo what there is. */
  record Step(Kind kind, String node, Set<Integer> claims, int count, long devices) {
    enum Kind {
      COMMIT_AND_LAND,
      COMMIT_AND_GIVE_UP,
      COMMIT_BEST_AND_LAND,
      CLAIM_GONE,
      PREPARE,
      UNPREPARE,
      NODE_GONE,
      NODE_BACK
    }

    PodRequest pod() {
      return new PodRequest(
          claims.stream()
              .map(i -> Samples.wants(claim(i), count, devices, "mask"))
              .collect(ImmutableList.toImmutableList()));
    }
  }

  private static String claim(int i) {
    return "c" + i;
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    return Combinators.combine(
            Arbitraries.of(Step.Kind.values()),
            Arbitraries.of(NODES),
            Arbitraries.integers().between(0, CLAIMS - 1).set().ofMinSize(1).ofMaxSize(3),
            Arbitraries.integers().between(1, 2),
            Arbitraries.longs())
        .as(Step::new)
        .list()
        .ofMaxSize(25);
  }

  /** The ledgers beside what the API and the nodes would show. */
  private static final class World {
    final Ledgers ledgers = Samples.telling(new RecordingListener());
    final Map<ClaimUid, Grant> api = new HashMap<>();
    final Map<String, Set<PreparedClaim>> prepared = new HashMap<>();
    final Set<String> gone = new HashSet<>();

    World() {
      NODES.forEach(this::publish);
    }

    void publish(String node) {
      PreparedClaim[] claims = prepared.getOrDefault(node, Set.of()).toArray(new PreparedClaim[0]);
      ledgers.observe(Samples.with(Samples.inventory(node, DEVICES), claims));
    }

    void perform(Step step) {
      switch (step.kind()) {
        case COMMIT_AND_LAND -> land(commit(step));
        case COMMIT_AND_GIVE_UP -> giveUp(commit(step));
        case COMMIT_BEST_AND_LAND ->
            land(ledgers.commitBest(step.pod(), Samples.OWNER, Samples.STAMP));
        case CLAIM_GONE -> step.claims().forEach(i -> gone(claim(i)));
        case PREPARE -> step.claims().forEach(i -> prepare(claim(i)));
        case UNPREPARE -> unprepare(step.node());
        case NODE_GONE -> nodeGone(step.node());
        case NODE_BACK -> nodeBack(step.node());
      }
    }

    CommitResult commit(Step step) {
      return ledgers.commit(step.node(), step.pod(), Samples.OWNER, Samples.STAMP);
    }

    void land(CommitResult commitResult) {
      if (commitResult instanceof CommitResult.Committed committed) {
        committed
            .grants()
            .forEach(
                (claim, grant) -> {
                  api.put(claim, grant);
                  ledgers.granted(claim, Samples.OWNER);
                });
      }
    }

    void giveUp(CommitResult commitResult) {
      if (commitResult instanceof CommitResult.Committed committed) {
        committed.grants().keySet().forEach(claim -> ledgers.release(claim, Samples.OWNER));
      }
    }

    void gone(String claim) {
      api.remove(Samples.uid(claim));
      ledgers.observe(Samples.ref(claim), Samples.uid(claim), Optional.empty());
    }

    void prepare(String claim) {
      Grant grant = api.get(Samples.uid(claim));
      if (grant != null && !gone.contains(grant.node())) {
        ImmutableSet<String> devices =
            grant.devices().stream()
                .map(GrantedDevice::uuid)
                .collect(ImmutableSet.toImmutableSet());
        prepared
            .computeIfAbsent(grant.node(), node -> new HashSet<>())
            .add(new PreparedClaim(grant.claim(), Samples.ref(claim), devices, Optional.empty()));
        publish(grant.node());
      }
    }

    void unprepare(String node) {
      prepared.getOrDefault(node, new HashSet<>()).removeIf(claim -> !api.containsKey(claim.uid()));
      if (!gone.contains(node)) {
        publish(node);
      }
    }

    void nodeGone(String node) {
      gone.add(node);
      ledgers.nodeGone(node);
    }

    void nodeBack(String node) {
      gone.remove(node);
      publish(node);
    }
  }

  @Property
  void noCommitTakesAnOccupiedDeviceOrOneTheNodeDoesNotHave(
      @ForAll("histories") List<Step> history) {
    World world = new World();
    for (Step step : history) {
      NodeLedger before = world.ledgers.ledger(step.node());
      if (step.kind() == Step.Kind.COMMIT_AND_LAND
          && world.commit(step) instanceof CommitResult.Committed done) {
        List<String> taken = devices(done);
        assertThat(taken).doesNotHaveDuplicates().noneMatch(before.occupied()::contains);
        assertThat(before.inventory().gpus().stream().map(Gpu::uuid)).containsAll(taken);
        world.giveUp(done);
      }
      world.perform(step);
    }
  }

  private static List<String> devices(CommitResult.Committed done) {
    return done.grants().values().stream()
        .flatMap(grant -> grant.devices().stream().map(GrantedDevice::uuid))
        .toList();
  }

  @Property
  void commitsAllClaimsOfABatchOrNone(@ForAll("histories") List<Step> history) {
    World world = new World();
    for (Step step : history) {
      NodeLedger before = world.ledgers.ledger(step.node());
      if (world.commit(step) instanceof CommitResult.Committed done) {
        assertThat(done.grants().keySet())
            .containsExactlyInAnyOrderElementsOf(
                step.claims().stream().map(i -> Samples.uid(claim(i))).toList());
        world.giveUp(done);
      } else {
        assertThat(world.ledgers.ledger(step.node())).isEqualTo(before);
      }
      world.perform(step);
    }
  }

  @Property
  void committingAgainGivesTheSameGrantsAndChangesNothing(@ForAll("histories") List<Step> history) {
    World world = new World();
    for (Step step : history) {
      CommitResult first = world.commit(step);
      NodeLedger after = world.ledgers.ledger(step.node());
      CommitResult second =
          world.ledgers.commit(
              step.node(), step.pod(), Samples.OWNER, new GrantAudit(99, Samples.STAMP.at()));

      assertThat(second).isEqualTo(first);
      assertThat(world.ledgers.ledger(step.node())).isEqualTo(after);
      world.giveUp(first);
      world.perform(step);
    }
  }

  @Property
  void commitAndReleaseLeaveNoTrace(@ForAll("histories") List<Step> history) {
    World world = new World();
    for (Step step : history) {
      Set<NodeLedger> before = Set.copyOf(world.ledgers.snapshot());
      world.giveUp(world.commit(step));
      assertThat(Set.copyOf(world.ledgers.snapshot())).isEqualTo(before);
      world.perform(step);
    }
  }

  @Property
  void whatFitsCanBeCommitted(@ForAll("histories") List<Step> history) {
    World world = new World();
    for (Step step : history) {
      boolean granted =
          step.claims().stream().anyMatch(i -> world.api.containsKey(Samples.uid(claim(i))));
      Optional<Placement.DoesNotFit> refusal =
          Samples.refusal(world.ledgers, step.node(), step.pod(), new SearchBudget());
      CommitResult commitResult = world.commit(step);
      if (!granted) {
        assertThat(commitResult instanceof CommitResult.Committed).isEqualTo(refusal.isEmpty());
      }
      world.giveUp(commitResult);
      world.perform(step);
    }
  }

  @Property
  void aFreshFoldOverApiAndInventoriesIsTheLedger(@ForAll("histories") List<Step> history) {
    World world = new World();
    history.forEach(world::perform);

    Ledgers fresh = Samples.telling(new RecordingListener());
    IntStream.range(0, CLAIMS)
        .mapToObj(LedgersPropertiesTest::claim)
        .forEach(
            claim -> {
              ClaimRef ref = Samples.ref(claim);
              Optional<Grant> grant = Optional.ofNullable(world.api.get(Samples.uid(claim)));
              fresh.observe(ref, Samples.uid(claim), grant);
            });
    world.ledgers.snapshot().forEach(ledger -> fresh.observe(ledger.inventory()));

    assertThat(heldIn(fresh)).isEqualTo(heldIn(world.ledgers));
  }

  private static ImmutableSet<ImmutableList<Object>> heldIn(Ledgers ledgers) {
    return ledgers.snapshot().stream()
        .map(
            ledger ->
                ImmutableList.<Object>of(ledger.inventory(), ledger.holds(), ledger.unreadable()))
        .collect(ImmutableSet.toImmutableSet());
  }
}
