package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.WaitRank;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Work that limits of its namespace keep from devices. */
final class LimitedPassTest {
  private final World world = new World(ImmutableMap.of("worker", 4, "other", 4));

  /** The pods whose claims are being written, and the most at once. */
  private int inFlight;

  private int mostInFlight;

  private void limit() {
    world.driver.limited =
        Optional.of(
            new Allocation.Limited(
                StatedReason.of(Kind.QUOTA_EXCEEDED, "2 of %d in use", 2),
                ImmutableSet.of("team")));
  }

  private void ease() {
    world.driver.limited = Optional.empty();
    world.requeuer.limitsEased(Some.NS);
    world.run();
  }

  private void addPod(String name, String... claims) {
    for (String claim : claims) {
      world.addClaim(claim(claim));
    }
    world.addPod(name, World.direct(claims[0])).select(name, "worker").run();
  }

  @Test
  void itIsToldOfTheClaimAndOfThePod() {
    limit();
    addPod("pod", "c");

    assertThat(world.cluster.warnings)
        .extracting(Warning::reason, Warning::message, Warning::causes)
        .containsExactly(
            tuple("QuotaExceeded", "2 of 2 in use", ImmutableSet.of("team")),
            tuple("QuotaExceeded", "claim default/c: 2 of 2 in use", ImmutableSet.of("team")));
    assertThat(world.cluster.warnings.get(0).subject()).isInstanceOf(Subject.OnClaim.class);
    assertThat(world.cluster.warnings.get(1).subject()).isInstanceOf(Subject.OnPod.class);
  }

  @Test
  void anImmediateClaimIsToldOfAndCountedToo() {
    limit();
    world.addClaim(claim("c").immediate()).run();

    assertThat(world.cluster.warnings).extracting(Warning::reason).containsExactly("QuotaExceeded");
    assertThat(world.requeuer.waitQueue().limited(Some.NS)).isEqualTo(ImmutableMultiset.of("team"));
    ease();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.requeuer.waitQueue().limited(Some.NS)).isEmpty();
  }

  @Test
  void whatEasesIsServedAtOnceInTheOrderOfTheLine() {
    limit();
    addPod("p1", "a");
    addPod("p2", "b");
    world.driver.calls.clear();
    ease();

    assertThat(world.driver.calls)
        .filteredOn(call -> call.startsWith("allocate"))
        .containsExactly("allocate [a] worker", "allocate [b] worker");
  }

  /** While one worker writes, another one takes the next key. */
  private void serveDuringWrites() {
    world.cluster.beforeNext(
        "allocate",
        () -> {
          mostInFlight = Math.max(mostInFlight, ++inFlight);
          serveDuringWrites();
          boolean unused = world.contextLoop.runOnce();
          inFlight--;
        });
  }

  @Test
  void theTurnOfAWaiterEndsBeforeItsClaimsAreWritten() {
    limit();
    for (int i = 0; i < 4; i++) {
      addPod("p" + i, "c" + i);
    }
    serveDuringWrites();
    ease();

    assertThat(mostInFlight).isEqualTo(4);
    assertThat(world.driver.holds).hasSize(4);
  }

  @Test
  void anOlderPodWhoseNodeIsLostIsServedBeforeAYoungerOne() {
    limit();
    world.addClaim(claim("a")).addPod("old", new WaitRank(0, Some.EPOCH), World.direct("a"));
    world.addContext("old", Optional.of("worker"), "other", "worker").run();
    world.addClaim(claim("b"));
    world.addPod("young", new WaitRank(0, Some.EPOCH.plusSeconds(1)), World.direct("b"));
    world.select("young", "other").run();
    world.driver.unsuitable = ImmutableSet.of("worker");
    ease();
    assertThat(world.entries("old").get("my-a")).containsExactly("worker");
    assertThat(world.claim("b").allocation()).isEmpty();

    world.addContext("old", Optional.of("other"), "other", "worker").run();
    assertThat(world.claim("a").allocatedByUs()).isTrue();
    assertThat(world.claim("b").allocatedByUs()).isTrue();
  }

  @Test
  void aPodThatIsGoneLeavesTheLine() {
    limit();
    addPod("pod", "c");
    world.cluster.removeContext(new ObjectKey(Some.NS, "pod"));
    world.run();

    assertThat(world.requeuer.waitQueue().limited(Some.NS)).isEmpty();
  }
}
