package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a claim leaves our hands, and whose hands it must not be taken from. */
final class ReleaseTest {
  private final World world = World.of("worker", 1);

  private static Some granted() {
    return claim("c").withFinalizer(true).byUs("worker#0", "worker");
  }

  @Test
  void ourNameStaysInTheStatusOfAClaimThatANodeMayStillKnow() {
    world.addClaim(granted().requested(true));
    world.driver.mayStillBePrepared = ImmutableSet.of(new ClaimUid("c-uid"));
    world.run();
    assertThat(world.takeCalls()).containsExactly("PUT deallocate c", "PUT removeFinalizer c");
    assertThat(world.claim("c").mayStillBePrepared()).isTrue();
  }

  @Test
  void anotherDriversAllocationStaysAndOnlyOurFinalizerGoes() {
    world.addClaim(claim("c").withFinalizer(true).byOther().requested(true)).run();
    assertThat(world.takeCalls()).containsExactly("PUT removeFinalizer c");
    assertThat(world.claim("c").hasFinalizer()).isFalse();
    assertThat(world.claim("c").allocation())
        .map(ClaimFacts.Granted::driverName)
        .hasValue("other-driver");
    assertThat(world.claim("c").deallocationRequested()).isTrue();
  }

  @Test
  void aRequestWithoutAnAllocationIsClearedBeforeTheFinalizerGoes() {
    world.addClaim(claim("c").withFinalizer(true).requested(true)).run();
    assertThat(world.takeCalls()).containsExactly("PUT deallocate c", "PUT removeFinalizer c");
    assertThat(world.claim("c").deallocationRequested()).isFalse();
    assertThat(world.claim("c").hasFinalizer()).isFalse();
  }

  @Test
  void anImmediateClaimThatIsReleasedOnRequestIsAllocatedAgain() {
    world.addClaim(granted().immediate().requested(true)).run();
    assertThat(world.takeCalls())
        .containsExactly(
            "PUT deallocate c", "PUT removeFinalizer c", "PUT addFinalizer c", "PUT allocate c");
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.claim("c").deallocationRequested()).isFalse();
    assertThat(world.claim("c").reservedFor()).isEmpty();
    assertThat(world.driver.holds).hasSize(1);
  }

  @Test
  void ofTwoGrantsOfADeviceTheOneThatNoPodHasIsTakenBack() {
    world.addClaim(granted().reservedFor("pod-uid"));
    world.addClaim(claim("late").withFinalizer(true).byUs("worker#0", "worker"));
    // The first pass is for the claim in use.
    assertThat(world.claimLoop.runOnce()).isTrue();
    world.run();
    assertThat(world.takeCalls())
        .containsExactly("PUT deallocate late", "PUT removeFinalizer late");
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.driver.holds).hasSize(1);
  }

  @Test
  void ofTwoGrantsOfADeviceThatNoPodHasOneIsLeft() {
    world.addClaim(granted());
    world.addClaim(claim("late").withFinalizer(true).byUs("worker#0", "worker")).run();
    assertThat(world.driver.holds).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"deallocate", "removeFinalizer"})
  void aDeleteJustBeforeAWriteIsReadAndFinishedAtOnceWithoutAWarning(String verb) {
    world.addClaim(granted().requested(true));
    world.cluster.beforeNext(verb, () -> world.cluster.change(Some.ref("c"), Some::deleting));
    assertThat(world.claimLoop.runOnce()).isTrue();
    assertThat(world.hasClaim("c")).as("still there after the first pass").isFalse();
    world.run();
    assertThat(world.cluster.warnings).isEmpty();
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.metrics.meter("loop.claims.again").getCount()).as("back-offs").isZero();
    assertThat(world.metrics.meter("loop.claims.failed").getCount()).as("failures").isZero();
  }

  @Test
  void aClaimThatIsGoneBeforeItsStatusIsClearedGivesItsDevicesBack() {
    world.addClaim(granted().requested(true));
    world.cluster.beforeNext("deallocate", () -> world.cluster.remove(Some.ref("c")));
    world.run();
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.driver.calls).as("by us, too").contains("release c-uid");
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void whatTheCacheShowsIsHeldAlsoWhileOnlyTheServerKnowsThatItIsGone() {
    world.addClaim(granted().requested(true));
    world.cluster.frozen = true;
    world.cluster.beforeNext("deallocate", () -> world.cluster.remove(Some.ref("c")));
    assertThat(world.claimLoop.runOnce()).isTrue();

    assertThat(world.driver.calls).containsExactly("release c-uid");
    assertThat(world.driver.holds).hasSize(1);
  }

  @Test
  void aReleaseThatTheServerRefusesIsToldAndTriedAgainAndKeepsTheDevices() {
    world.addClaim(granted().deleting());
    world.cluster.failNext("deallocate", Kind.REJECTED);
    assertThat(world.claimLoop.runOnce()).isTrue();
    assertThat(world.cluster.warnings)
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.reason()).isEqualTo("DeallocationFailed");
              assertThat(warning.subject())
                  .isEqualTo(new Subject.OnClaim(Some.ref("c"), world.claim("c").uid()));
              assertThat(warning.message()).contains("refuses to clear the allocation");
            });
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.driver.holds).hasSize(1);
    world.pass(Duration.ofMillis(100));
    assertThat(world.hasClaim("c")).as("after the server came round").isFalse();
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.cluster.warnings).hasSize(1);
  }

  @Test
  void devicesAreFreeWhenTheStatusIsClearThoughTheFinalizerIsStillThere() {
    world.addClaim(granted().requested(true));
    world.cluster.failNext("removeFinalizer", Kind.UNCLEAR);
    assertThat(world.claimLoop.runOnce()).isTrue();

    assertThat(world.claim("c").hasFinalizer()).isTrue();
    assertThat(world.driver.calls).containsExactly("release c-uid");
  }

  @Test
  void aFinalizerThatTheServerKeepsIsToldAndTriedAgain() {
    world.addClaim(granted().requested(true));
    world.cluster.failNext("removeFinalizer", Kind.REJECTED);
    assertThat(world.claimLoop.runOnce()).isTrue();

    assertThat(world.cluster.warnings)
        .extracting("reason", "message")
        .containsExactly(
            tuple("DeallocationFailed", "the API server refuses to drop the driver's finalizer"));
    world.pass(Duration.ofMillis(100));
    assertThat(world.claim("c").hasFinalizer()).isFalse();
  }
}
