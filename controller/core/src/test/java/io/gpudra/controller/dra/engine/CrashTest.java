package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The controller dies before or after each of its writes; another one takes over and everything
 * ends as if nothing had happened (protocol.md 8).
 */
final class CrashTest {
  private static final Duration A_WHILE = Duration.ofSeconds(5);
  private static final int MORE_WRITES_THAN_THERE_ARE = 14;

  static Stream<Arguments> points() {
    return IntStream.range(0, MORE_WRITES_THAN_THERE_ARE)
        .boxed()
        .flatMap(write -> Stream.of(Arguments.of(write, false), Arguments.of(write, true)));
  }

  @ParameterizedTest
  @MethodSource("points")
  void aNewLeaderFinishesWhatADeadOneBegan(int write, boolean afterTheEffect) throws Exception {
    World world = World.of("worker", 4);
    world.addClaim(claim("a")).addClaim(claim("b")).addClaim(claim("now").immediate());
    world.addClaim(claim("old").withFinalizer(true).byUs("worker#3", "worker").requested(true));
    world.addPod("pod", World.direct("a"), World.direct("b"));
    world.cluster.writesUntilCrash = write;
    world.cluster.crashAfterTheEffect = afterTheEffect;
    world.select("pod", "worker");
    boolean died = runUntilDeath(world);
    world.cluster.writesUntilCrash = -1;
    if (died) {
      world.restart();
    }
    world.pass(A_WHILE);
    for (String name : new String[] {"a", "b", "now"}) {
      assertThat(world.claim(name).allocatedByUs()).as(name).isTrue();
    }
    assertThat(world.claim("old").allocation()).isEmpty();
    assertThat(world.claim("old").hasFinalizer()).isFalse();
    assertThat(world.driver.holds.keySet()).isEqualTo(allocated(world));
  }

  @ParameterizedTest
  @MethodSource("points")
  void aNewLeaderCountsWhatADeadOneHeldAgainstALimit(int write, boolean afterTheEffect)
      throws Exception {
    World world = World.of("worker", 4);
    world.driver.most = 2;
    for (String name : new String[] {"a", "b", "c"}) {
      world.addClaim(claim(name)).addPod("pod-" + name, World.direct(name));
      world.select("pod-" + name, "worker");
    }
    world.cluster.writesUntilCrash = write;
    world.cluster.crashAfterTheEffect = afterTheEffect;
    boolean died = runUntilDeath(world);
    world.cluster.writesUntilCrash = -1;
    if (died) {
      world.restart();
    }
    world.pass(A_WHILE);
    assertThat(allocated(world)).hasSize(2);
    assertThat(world.driver.holds.keySet()).isEqualTo(allocated(world));

    world.driver.most = 3;
    world.requeuer.limitsEased(Some.NS);
    assertThat(allocated(world.pass(A_WHILE))).hasSize(3);
  }

  private static ImmutableSet<ClaimUid> allocated(World world) {
    return world.cluster.claims.values().stream()
        .filter(ClaimFacts::allocatedByUs)
        .map(ClaimFacts::uid)
        .collect(ImmutableSet.toImmutableSet());
  }

  @ParameterizedTest
  @MethodSource("points")
  void aWorkerThatFailsGoesOnInTheSameProcess(int write, boolean afterTheEffect) {
    World world = World.of("worker", 4);
    world.addClaim(claim("a")).addClaim(claim("b"));
    world.addPod("pod", World.direct("a"), World.direct("b"));
    world.cluster.writesUntilCrash = write;
    world.cluster.crashAfterTheEffect = afterTheEffect;
    world.mayFail = true;
    world.select("pod", "worker").pass(A_WHILE);
    for (String name : new String[] {"a", "b"}) {
      assertThat(world.claim(name).reservedFor()).as(name).containsExactly("pod-uid");
    }
    assertThat(world.driver.calls.stream().filter(call -> call.startsWith("allocate"))).hasSize(1);
  }

  @Test
  void theFenceMakesALateStatusWriteOfTheOldLeaderImpossible() throws Exception {
    World world = World.of("worker", 1);
    world.addClaim(claim("a"));
    ClaimFacts withFinalizer = world.cluster.addFinalizer(world.claim("a")).now().orElseThrow();
    world.restart();
    WriteOutcome late =
        world.cluster.allocate(
            withFinalizer,
            new ResourceHandle("worker#0", Optional.of("worker"), false),
            Optional.empty());
    assertThat(late.kind()).isEqualTo(WriteOutcome.Kind.CONFLICT);
    assertThat(world.claim("a").hasFinalizer()).isFalse();
  }

  @Test
  void aClaimThatGoesWhileTheFenceIsRaisedIsForgotten() throws Exception {
    World world = World.of("worker", 1);
    world.addClaim(claim("a").withFinalizer(true));
    world.addClaim(claim("b").withFinalizer(true).byUs("worker#0", "worker"));
    world.cluster.beforeNext("removeFinalizer", () -> world.cluster.remove(Some.ref("b")));
    world.restart();
    assertThat(world.driver.holds).isEmpty();
  }

  @Test
  void aClaimThatNobodyMayChangeKeepsNoLeaderFromServingTheOthers() throws Exception {
    World world = World.of("worker", 1);
    world.addClaim(claim("a").withFinalizer(true)).addClaim(claim("b"));
    world.addPod("pod", World.direct("b")).select("pod", "worker");
    for (int refusals = 0; refusals < 15; refusals++) {
      world.cluster.failNext("removeFinalizer", WriteOutcome.Kind.REJECTED);
    }
    world.restart();
    world.run();
    assertThat(world.claim("b").allocatedByUs()).isTrue();
    assertThat(world.claim("a").hasFinalizer()).isTrue();
    assertThat(world.cluster.warnings)
        .extracting(ReportSink.Warning::message)
        .contains("the API server refuses to drop the driver's finalizer");
  }

  @Test
  void aStandbyGathersNoKeys() throws Exception {
    World world = World.of("worker", 1);
    Requeuer standby = new Requeuer(() -> 0, () -> 0L);
    world.cluster.connect(standby);
    ProtocolEngine engine =
        new ProtocolEngine(
            new FakeDriver(ImmutableMap.of("worker", 1), standby),
            new ProtocolEngine.Ports(
                world.cluster, world.cluster, world.cluster, world.cluster, world.cluster),
            standby,
            Runnable::run,
            () -> 0);
    world.addClaim(claim("a")).select("pod", "worker");
    assertThat(standby.claimKeys().depth() + standby.contextKeys().depth()).isZero();
    assertThat(engine.takeover().run()).isEmpty();
    assertThat(standby.claimKeys().depth()).isEqualTo(1);
    assertThat(standby.contextKeys().depth()).isEqualTo(1);
  }

  @Test
  void halfDonePodsComeBeforeEverybodyElse() throws Exception {
    World world = World.of("worker", 2);
    world.addClaim(claim("first"));
    world.addPod("another", World.direct("first"));
    world.addClaim(
        claim("a").withFinalizer(true).byUs("worker#0", "worker").reservedFor("pod-uid"));
    world.addClaim(claim("b"));
    world.addPod("pod", World.direct("a"), World.direct("b"));
    world.select("another", "worker").select("pod", "worker");
    world.restart();
    world.run();
    assertThat(world.claim("b").allocatedByUs()).isTrue();
    assertThat(world.claim("first").allocatedByUs()).isFalse();
  }

  /** One key at a time until a write kills it; the loop's own catch-all stands for the process. */
  private static boolean runUntilDeath(World world) {
    for (int step = 0; step < 200; step++) {
      boolean worked = world.contextLoop.runOnce() || world.claimLoop.runOnce();
      boolean dead = world.cluster.writesUntilCrash < 0;
      if (dead || !worked) {
        return dead;
      }
      world.cluster.checkInvariants();
    }
    throw new AssertionError("never comes to rest");
  }
}
