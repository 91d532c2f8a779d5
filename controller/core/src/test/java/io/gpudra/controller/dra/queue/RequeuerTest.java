package io.gpudra.controller.dra.queue;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RequeuerTest {
  private final World world = World.of("worker", 1);

  private void assertWoken(int claims, int contexts) {
    assertThat(world.requeuer.claimKeys().depth()).as("claims").isEqualTo(claims);
    assertThat(world.requeuer.contextKeys().depth()).as("contexts").isEqualTo(contexts);
    world.run();
  }

  @Test
  void aClaimThatChangesOrGoesIsLookedAtWithThePodsThatNameIt() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    world.addClaim(claim("c")).addClaim(claim("of-nobody"));
    world.addPod("pod", World.direct("c")).select("pod", "worker").run();
    assertWoken(0, 0);
    world.cluster.change(Some.ref("c"), s -> s.owner("somebody"));
    assertWoken(1, 1);
    world.cluster.change(Some.ref("of-nobody"), s -> s.owner("somebody"));
    assertWoken(1, 0);
    world.cluster.remove(Some.ref("c"));
    assertWoken(1, 1);
  }

  @Test
  void aClaimThatChangesOrGoesIsLookedAtWithThePodsAtTheGateThatNameIt() {
    world.addClaim(claim("c")).run();
    WorkKey gate = WorkKey.gate(new ObjectKey(Some.NS, "pod/p"));
    world.requeuer.names(gate, ImmutableSet.of(Some.ref("c")));
    world.cluster.change(Some.ref("c"), s -> s.owner("somebody"));

    assertThat(world.requeuer.gateKeys().depth()).isOne();
    assertThat(world.requeuer.wantedBy(Some.ref("c"))).containsExactly(gate);
    assertWoken(1, 0);
    world.requeuer.forget(gate);
    assertThat(world.requeuer.isWanted(Some.ref("c"))).isFalse();
    assertWoken(1, 0);
  }

  private void nameAtGates(int pods) {
    for (int i = 0; i < pods; i++) {
      world.requeuer.names(
          WorkKey.gate(new ObjectKey(Some.NS, "pod/p" + i)), ImmutableSet.of(Some.ref("c")));
    }
  }

  @Test
  void anEventOfAClaimThatManyPodsNameWakesSomeAndTheOthersLater() {
    world.addClaim(claim("c")).run();
    nameAtGates(3 * Requeuer.WAKES);
    for (int i = 0; i < 100; i++) {
      String owner = "owner" + i;
      world.cluster.change(Some.ref("c"), s -> s.owner(owner));
    }

    assertThat(world.requeuer.gateKeys().depth()).isEqualTo(Requeuer.WAKES);
    assertWoken(1, 0);
    assertThat(world.requeuer.gateKeys().depth()).isEqualTo(Requeuer.WAKES);
    world.elapse(Duration.ofSeconds(1));
    assertThat(world.requeuer.gateKeys().depth()).isEqualTo(2 * Requeuer.WAKES);
    world.elapse(Duration.ofSeconds(1));
    assertThat(world.requeuer.gateKeys().depth()).isEqualTo(3 * Requeuer.WAKES);
  }

  @Test
  void aPodThatMovesUpAmongThoseThatNameAClaimIsWokenToo() {
    world.addClaim(claim("c")).run();
    nameAtGates(2 * Requeuer.WAKES);
    world.cluster.change(Some.ref("c"), s -> s.owner("owner"));
    for (int i = 0; i < 10; i++) {
      world.requeuer.forget(WorkKey.gate(new ObjectKey(Some.NS, "pod/p" + i)));
    }
    world.run();
    world.elapse(Duration.ofSeconds(1));

    assertThat(world.requeuer.gateKeys().depth()).isEqualTo(2 * Requeuer.WAKES);
  }

  @Test
  void allThatNameAClaimAreWokenWithinHalfAMinute() {
    world.addClaim(claim("c")).run();
    nameAtGates(50 * Requeuer.WAKES);
    world.cluster.remove(Some.ref("c"));
    world.run();
    world.elapse(Duration.ofSeconds(30));

    assertThat(world.requeuer.gateKeys().depth()).isEqualTo(50 * Requeuer.WAKES);
  }

  @Test
  void aPassOfAClaimWithoutAnEventWakesNoOther() {
    nameAtGates(3 * Requeuer.WAKES);
    world.requeuer.wake(WorkKey.claim(Some.ref("c")));
    world.run();
    world.elapse(Duration.ofSeconds(30));

    assertThat(world.requeuer.gateKeys().depth()).isZero();
  }

  @Test
  void aReleaseIsDoneWhileTenThousandAllocationsAreQueued() {
    world.addClaim(claim("held").withFinalizer(true).byUs("worker#0", "worker").immediate()).run();
    for (int i = 0; i < 10_000; i++) {
      world.addClaim(claim("waits" + i).immediate());
    }
    world.cluster.change(Some.ref("held"), held -> held.requested(true));
    world.takeCalls();
    assertThat(world.claimLoop.runOnce()).isTrue();

    assertThat(world.takeCalls()).contains("PUT deallocate held");
    assertThat(world.requeuer.claimKeys().depth()).isGreaterThanOrEqualTo(10_000);
  }

  @Test
  void aContextThatChangesOrGoesIsLookedAtAndItsClaimsWhenItIsGone() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    world.addClaim(claim("c")).addPod("pod", World.direct("c"));
    world.select("pod", "worker").run();
    world.select("pod", "worker");
    assertWoken(0, 1);
    world.cluster.removeContext(new ObjectKey(Some.NS, "pod"));
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertWoken(1, 0);
  }

  @Test
  void waitersThatANodeWakesTooOftenAreLookedAtLater() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    for (int i = 0; i < 3 * DeviceOffers.WAKES / 2; i++) {
      world.addClaim(claim("c" + i)).addPod("pod" + i, World.direct("c" + i));
      world.select("pod" + i, "worker");
    }
    world.run();
    world.requeuer.freed("worker", DeviceOffers.WAKES);
    assertThat(world.requeuer.contextKeys().depth()).isEqualTo(DeviceOffers.WAKES);
    world.run();
    world.elapse(Duration.ofMillis(500));
    assertThat(world.requeuer.contextKeys().depth()).isEqualTo(DeviceOffers.WAKES / 2);
  }

  @Test
  void namesThatANodeReleasesAgainAndAgainWakeWaitersAtItsPace() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    for (int i = 0; i < 2 * DeviceOffers.WAKES; i++) {
      world.addClaim(claim("c" + i)).addPod("pod" + i, World.direct("c" + i));
      world.select("pod" + i, "worker");
    }
    world.run();
    for (int i = 0; i < 1_000; i++) {
      world.requeuer.nameReleased("worker", Some.ref("c" + i % (2 * DeviceOffers.WAKES)));
    }
    assertThat(world.requeuer.contextKeys().depth()).isEqualTo(DeviceOffers.WAKES);
    world.run();
    for (int i = 0; i < 2 * DeviceOffers.WAKES; i++) {
      world.requeuer.nameReleased("worker", Some.ref("c" + i));
    }
    assertThat(world.requeuer.contextKeys().depth()).isZero();
    world.elapse(Duration.ofMillis(500));
    assertThat(world.requeuer.contextKeys().depth()).isEqualTo(DeviceOffers.WAKES / 2);
  }

  @Test
  void aNameWakesFew() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    world.addClaim(claim("c"));
    for (int i = 0; i < 2 * Requeuer.WAKES; i++) {
      world.addPod("pod" + i, World.direct("c")).select("pod" + i, "worker");
    }
    world.run();
    world.requeuer.nameReleased("worker", Some.ref("c"));

    assertThat(world.requeuer.contextKeys().depth()).isEqualTo(Requeuer.WAKES);
  }

  @Test
  void aNameThatANodeReleasesEndsNoOfferOfAnother() {
    world.driver.unsuitable = ImmutableSet.of("worker", "good");
    world.addClaim(claim("c")).addPod("pod", World.direct("c"));
    world.addContext("pod", Optional.empty(), "worker", "good").run();
    world.requeuer.freed("good", 1);
    world.requeuer.nameReleased("evil", Some.ref("c"));
    assertThat(world.requeuer.waitQueue().offers()).isOne();
    world.requeuer.nameReleased("worker", Some.ref("c"));
    assertThat(world.requeuer.waitQueue().offers()).isEqualTo(2);
  }

  @Test
  void aClaimWhoseGrantMayBeOneTooManyIsLookedAt() {
    world.addClaim(claim("c")).run();
    world.requeuer.surplusFound(Some.ref("c"));
    assertWoken(1, 0);
  }

  @Test
  void whoIsNotKeptByANameAnyMoreIsLookedAtWithItsPodAndMayHearGoodNews() {
    world.driver.unsuitable = ImmutableSet.of("worker");
    world.addClaim(claim("c")).addPod("pod", World.direct("c"));
    world.addContext("pod", Optional.empty(), "worker").run();
    assertThat(world.entries("pod").get("my-c")).containsExactly("worker");
    world.driver.unsuitable = ImmutableSet.of();
    world.requeuer.nameReleased("worker", Some.ref("c"));
    assertWoken(0, 1);

    assertThat(world.entries("pod").get("my-c")).isEmpty();
  }
}
