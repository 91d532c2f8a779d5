package io.gpudra.controller.dra.allocator;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A grant that cannot be: refused by the driver before it begins, or by the server at its end. */
final class GivingUpTest {
  private static final Duration A_WHILE = Duration.ofSeconds(2);

  private final World world = new World(ImmutableMap.of("worker", 1, "worker-2", 1));

  private void onePod() {
    world.addClaim(claim("a")).addPod("pod", World.direct("a")).select("pod", "worker");
  }

  private void assertGranted() {
    world.pass(A_WHILE);
    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertThat(world.driver.holds.values()).singleElement().matches(FakeDriver.Hold::granted);
  }

  @Test
  void whoBeganNothingLeavesTheClaimToOthers() {
    world.driver.refusingCommit = ImmutableSet.of("worker");
    onePod();
    world.run();
    assertThat(world.claim("a").allocatedByUs()).isFalse();
    world.addPod("other", World.direct("a")).select("other", "worker-2").run();

    assertThat(world.claim("a").reservedFor()).containsExactly("other-uid");
  }

  @Test
  void aRefusedGrantWhoseClaimChangesMeanwhileIsStillGivenBackWithinThePass() {
    onePod();
    world.cluster.failNext("allocate", Kind.REJECTED);
    world.cluster.failNext("removeFinalizer", Kind.CONFLICT);
    assertThat(world.contextLoop.runOnce()).isTrue();

    assertThat(world.claim("a").hasFinalizer()).isFalse();
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.cluster.warnings).extracting("reason").contains("AllocationFailed");
    assertGranted();
  }

  @ParameterizedTest
  @EnumSource(names = {"UNCLEAR", "REJECTED"})
  void whatIsHeldStaysHeldWhileAnEarlierWriteMayStillLand(Kind answer) {
    onePod();
    world.cluster.failNext("allocate", Kind.REJECTED);
    world.cluster.failNext("removeFinalizer", answer);
    assertThat(world.contextLoop.runOnce()).isTrue();

    assertThat(world.claim("a").hasFinalizer()).isTrue();
    assertThat(world.driver.holds).hasSize(1);
    assertGranted();
  }

  @Test
  void aRefusedGrantOfAClaimThatGoesIsGivenBack() {
    onePod();
    world.cluster.failNext("allocate", Kind.REJECTED);
    world.cluster.beforeNext("removeFinalizer", () -> world.cluster.remove(Some.ref("a")));
    assertThat(world.contextLoop.runOnce()).isTrue();

    assertThat(world.driver.holds).isEmpty();
  }

  @Test
  void aRefusedGrantThatLandedAllTheSameIsKept() {
    onePod();
    world.cluster.failNextAfterTheEffect("allocate", Kind.REJECTED);

    assertGranted();
    assertThat(world.cluster.warnings).isEmpty();
  }
}
