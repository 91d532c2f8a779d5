package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods of different priorities that ask for the one device there is. */
final class PriorityTest {
  private final World world = World.of("worker", 1);

  /** A pod of higher priority waits, and the device is on offer to it. */
  @BeforeEach
  void offered() {
    world.addClaim(claim("held").withFinalizer(true).byUs("worker#0", "worker"));
    world.addClaim(claim("high")).addPod("high", rank(10), World.direct("high"));
    world.addContext("high", Optional.empty(), "worker").run();
    world.cluster.remove(Some.ref("held"));
    world.run();
    assertThat(world.entries("high").get("my-high")).isEmpty();
  }

  /** All are equally old. */
  private static WaitRank rank(int priority) {
    return new WaitRank(priority, Some.EPOCH);
  }

  private void selected(String pod, int priority) {
    world.addClaim(claim(pod)).addPod(pod, rank(priority), World.direct(pod));
    world.select(pod, "worker").run();
  }

  @Test
  void aNodeThatWasSelectedForALowerPriorityIsLeftToTheHigherOne() {
    selected("low", 0);
    assertThat(world.claim("low").allocation()).isEmpty();
    assertThat(world.entries("low").get("my-low")).containsExactly("worker");
    assertThat(world.cluster.warnings)
        .extracting(ReportSink.Warning::message)
        .anyMatch(message -> message.contains("offered to claims that come first"));
    world.select("high", "worker").run();

    assertThat(world.claim("high").allocatedByUs()).isTrue();
    assertThat(world.claim("low").allocation()).isEmpty();
  }

  @Test
  void whatTheHigherPriorityDoesNotTakeIsForTheLowerOne() {
    selected("low", 0);
    world.addContext("low", Optional.empty(), "worker").run();
    world.cluster.removeContext(new ObjectKey(Some.NS, "high"));
    world.pass(Duration.ofSeconds(2));
    assertThat(world.entries("low").get("my-low")).isEmpty();
    world.select("low", "worker").run();

    assertThat(world.claim("low").allocatedByUs()).isTrue();
    assertThat(world.remembered()).doesNotContainKeys("offers", "waiters");
  }

  @Test
  void aPodOfEqualPriorityIsServedAsEver() {
    selected("equal", 10);

    assertThat(world.claim("equal").allocatedByUs()).isTrue();
  }
}
