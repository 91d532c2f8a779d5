package io.gpudra.controller.dra.allocator;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import java.time.Duration;
import java.util.Collections;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a claim between the writes of its grant. */
final class MeanwhileTest {
  private static final Duration A_WHILE = Duration.ofSeconds(5);

  private final World world = World.of("worker", 1);

  @BeforeEach
  void onePod() {
    world.addClaim(claim("a")).addPod("pod", World.direct("a")).select("pod", "worker");
  }

  private void before(String verb, Runnable what) {
    world.cluster.beforeNext(verb, what);
  }

  private void change(UnaryOperator<Some> how) {
    world.cluster.change(Some.ref("a"), how);
  }

  private void assertNothingIsHeldAndToldIs(String why) {
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.cluster.warnings)
        .extracting("message")
        .containsExactly(why, "claim default/a: " + why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"addFinalizer", "allocate", "removeFinalizer"})
  void whatOthersWriteAllTheTimeIsTriedFiveTimesInAPass(String verb) {
    if (verb.equals("removeFinalizer")) {
      world.cluster.failNext("allocate", Kind.REJECTED);
    }
    Collections.nCopies(5, Kind.CONFLICT).forEach(kind -> world.cluster.failNext(verb, kind));
    assertThat(world.contextLoop.runOnce()).isTrue();

    assertThat(Collections.frequency(world.takeCalls(), "PUT " + verb + " a")).isEqualTo(5);
    assertThat(world.driver.holds).as("a write may still land").hasSize(1);
    world.pass(A_WHILE);
    assertThat(world.claim("a").allocatedByUs()).isTrue();
  }

  @Test
  void aConflictThatCannotBeReadIsLeftToTheNextPass() {
    world.cluster.failNext("allocate", Kind.CONFLICT);
    world.cluster.failNext("live", Kind.UNCLEAR);
    world.pass(A_WHILE);

    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertThat(world.cluster.warnings).isEmpty();
  }

  @Test
  void aFinalizerThatTheServerRefusesIsToldAndNothingIsHeld() {
    world.cluster.failNext("addFinalizer", Kind.REJECTED);

    assertNothingIsHeldAndToldIs("the API server refuses the write");
  }

  @Test
  void aClaimThatEndsBeforeItsFinalizerIsThereIsNotSaidToBeRefused() {
    world.cluster.heldByOthers.add(Some.ref("a"));
    before("addFinalizer", () -> change(Some::deleting));

    assertNothingIsHeldAndToldIs("the claim is being deleted or deallocated");
  }

  @Test
  void aClaimWhoseClassIsAnotherDriversByNowIsLeftToIt() {
    before(
        "allocate",
        () -> {
          world.cluster.addClass("mock-class", "other-driver", /* structured= */ false);
          change(claim -> claim.owner("somebody"));
        });

    assertNothingIsHeldAndToldIs("the claim's class no longer names this driver");
  }

  @Test
  void aClaimWhoseClassTheSchedulerServesByNowIsLeftToIt() {
    before(
        "allocate",
        () -> {
          world.cluster.addClass("mock-class", Some.DRIVER, /* structured= */ true);
          change(claim -> claim.owner("somebody"));
        });

    assertNothingIsHeldAndToldIs("the claim's class no longer names this driver");
  }

  @Test
  void aClaimThatTheSchedulerMadeItsOwnIsLeftToIt() {
    before("allocate", () -> change(Some::withBuiltinFinalizer));

    assertNothingIsHeldAndToldIs("the claim's class no longer names this driver");
  }

  @Test
  void theGrantOfAClaimIsNotWrittenIntoAnotherOfItsName() {
    before(
        "allocate",
        () -> {
          world.cluster.remove(Some.ref("a"));
          world.addClaim(claim("a").uid("second"));
          world.cluster.failNext("allocate", Kind.CONFLICT);
        });

    assertNothingIsHeldAndToldIs("the claim is gone");
    assertThat(world.claim("a").allocation()).isEmpty();
  }

  @Test
  void aRefusedGrantWhoseFinalizerAnotherTookIsGivenUp() {
    world.cluster.failNext("allocate", Kind.REJECTED);
    before("removeFinalizer", () -> change(claim -> claim.withFinalizer(false)));

    assertNothingIsHeldAndToldIs("the API server refuses the write");
  }
}
