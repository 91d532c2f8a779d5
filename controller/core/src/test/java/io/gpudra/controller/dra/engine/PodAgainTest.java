package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What makes a pod looked at again though nothing says that it changed. */
final class PodAgainTest {
  private final World world = World.of("worker", 1);

  private World onePod() {
    return world.addClaim(claim("c")).addPod("pod", World.direct("c")).select("pod", "worker");
  }

  private int reads() {
    return Collections.frequency(world.cluster.calls, "GET pod pod");
  }

  @Test
  void aPodThatIsReadBeforeItsClaimIsGeneratedIsReadAgainAtThePoll() {
    world.addPod("pod", new PodClaim("my-c", new Resolution.NotYet())).select("pod", "worker");
    world.run();
    onePod().pass(Duration.ofSeconds(29));
    assertThat(reads()).isEqualTo(1);
    world.pass(Duration.ofSeconds(2));

    assertThat(reads()).isEqualTo(2);
    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  @Test
  void aPodWhoseGrantIsRefusedIsReadAgainSinceItMayBeGone() {
    world.cluster.failNext("allocate", Kind.REJECTED);
    onePod();
    assertThat(world.contextLoop.runOnce()).isTrue();
    world.cluster.pods.clear();
    world.elapse(Duration.ofSeconds(1));
    world.run();

    assertThat(reads()).isEqualTo(2);
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.claim("c").hasFinalizer()).isFalse();
  }

  @Test
  void aPodWhoseGrantWentBeforeItWasLookedAtIsReadAgain() {
    onePod();
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    world.cluster.change(Some.ref("c"), claim -> claim.reservedFor().requested(true));
    while (world.claimLoop.runOnce()) {}
    world.cluster.pods.clear();
    world.pass(Duration.ofSeconds(5));

    assertThat(reads()).isEqualTo(2);
    assertThat(world.claim("c").allocation()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"UNCLEAR", "CONFLICT"})
  void whatTheSchedulerWasPerhapsNotToldIsToldAgainSoon(Kind answer) {
    world.driver.unsuitable = ImmutableSet.of("worker");
    world.cluster.failNext("apply", answer);
    onePod().run();
    assertThat(world.entries("pod")).isEmpty();
    world.pass(Duration.ofMillis(100));

    assertThat(world.entries("pod").get("my-c")).containsExactly("worker");
  }
}
