package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.dra.testing.World.direct;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.crds.model.PodRef;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When it is told that somebody has waited long enough, to be measured. */
final class MomentsTest {
  private static final String POD_SERVED = "granted DELAYED asked at " + Some.EPOCH;
  private final World world = World.of("worker", 2);

  @Test
  void aPodIsServedOnceWhenAllItsClaimsAreGranted() {
    world.addClaim(claim("a")).addClaim(claim("b")).addPod("p", direct("a"), direct("b"));
    world.select("p", "worker");
    world.cluster.beforeNext("allocate", () -> assertThat(world.cluster.moments).isEmpty());
    world.run().pass(Duration.ofMinutes(1));

    assertThat(world.claim("b").allocatedByUs()).isTrue();
    assertThat(world.cluster.moments).containsExactly(POD_SERVED);
  }

  @Test
  void aPodWithClaimsOfTwoClassesIsServedByEach() {
    world.cluster.addClass("second", Some.DRIVER, /* structured= */ false);
    world.addClaim(claim("a")).addClaim(claim("b").ofClass("second"));
    world.addPod("p", direct("a"), direct("b")).select("p", "worker").run();

    assertThat(world.cluster.moments).containsExactly(POD_SERVED, POD_SERVED);
  }

  @Test
  void aPodThatIsRefusedIsNotServed() {
    World full = World.of("worker", 0);
    full.addClaim(claim("a")).addPod("p", direct("a")).select("p", "worker").run();

    assertThat(full.cluster.moments).isEmpty();
  }

  @Test
  void whoseGrantIsUnclearIsServedWhenItIsClear() {
    world.addClaim(claim("a")).addPod("p", direct("a")).select("p", "worker");
    world.cluster.failNextAfterTheEffect("allocate", Kind.UNCLEAR);
    assertThat(world.contextLoop.runOnce()).isTrue();
    assertThat(world.cluster.moments).isEmpty();

    world.pass(Duration.ofSeconds(1));

    assertThat(world.cluster.moments).containsExactly(POD_SERVED);
  }

  @Test
  void thePodThatHasTheNameNowIsNotTheOneThatIsServed() {
    world.addClaim(claim("a")).addPod("p", direct("a")).select("p", "worker");
    world.cluster.failNext("allocate", Kind.UNCLEAR);
    assertThat(world.contextLoop.runOnce()).isTrue();
    world.cluster.put(
        new ContextFacts(
            new PodRef(Some.NS, "p", "another-uid"),
            "another-context",
            world.cluster.nextVersion(),
            Some.EPOCH,
            false,
            Optional.empty(),
            ImmutableSet.of(),
            ImmutableMap.of()));
    world.pass(Duration.ofSeconds(1));

    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertThat(world.cluster.moments).isEmpty();
  }

  @Test
  void anImmediateClaimIsServedByItself() {
    world.addClaim(claim("a").immediate()).run();

    assertThat(world.cluster.moments).containsExactly("granted IMMEDIATE asked at " + Some.EPOCH);
  }

  @Test
  void aReleaseBeginsBeforeItsFirstWrite() {
    world.addClaim(claim("a").withFinalizer(true).byUs("worker#0", "worker").requested(true));
    world.cluster.beforeNext(
        "deallocate", () -> assertThat(world.cluster.moments).containsExactly("releasing a-uid"));
    world.run();

    assertThat(world.claim("a").allocation()).isEmpty();
    assertThat(world.cluster.moments).containsExactly("releasing a-uid");
  }

  @Test
  void whatWasNeverOursIsNotReleased() {
    world.addClaim(claim("a").withFinalizer(true).requested(true)).run();

    assertThat(world.takeCalls()).contains("PUT deallocate a");
    assertThat(world.cluster.moments).isEmpty();
  }
}
