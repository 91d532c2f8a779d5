package io.gpudra.controller.dra.allocator;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.memory.LiveHeap;
import io.gpudra.controller.memory.MemoryBudget;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that refuses grants for good, as an admission policy has it do. */
final class WriteRejectionBackoffTest {
  private static final Duration A_STEP = Duration.ofMillis(50);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
  private static final ParametersRef PARAMETERS =
      new ParametersRef("gpu", "Parameters", Optional.empty(), "some");

  private static final int REFUSED = 30_000;
  private static final int LARGE = 4_000;

  private final World world = World.of("worker", 1);

  /** Who asks for claim a. */
  private enum Asking {
    POD {
      @Override
      void in(World world) {
        world.addClaim(claim("a")).addPod("pod", World.direct("a")).select("pod", "worker").run();
      }
    },
    IMMEDIATE {
      @Override
      void in(World world) {
        world.addClaim(claim("a").immediate()).run();
      }
    };

    abstract void in(World world);
  }

  private void refuses(String verb, int times) {
    Collections.nCopies(times, Kind.REJECTED).forEach(kind -> world.cluster.failNext(verb, kind));
  }

  private int tries() {
    return Collections.frequency(world.takeCalls(), "PUT allocate a");
  }

  @ParameterizedTest
  @EnumSource
  void whoIsRefusedIsLeftAloneForLongerEachTime(Asking asking) {
    refuses("allocate", 100);
    asking.in(world);
    assertThat(tries()).isEqualTo(1);

    for (int seconds = 2; seconds <= 32; seconds *= 2) {
      world.pass(Duration.ofSeconds(seconds).minus(A_STEP));
      assertThat(tries()).as("before %s s", seconds).isZero();
      world.pass(A_STEP);
      assertThat(tries()).as("after %s s", seconds).isEqualTo(1);
    }
    world.pass(LONGEST_PAUSE.multipliedBy(5));
    assertThat(tries()).isEqualTo(5);
  }

  @Test
  void whoIsLookedAtLateIsTriedAtOnce() {
    refuses("allocate", 1);
    Asking.POD.in(world);
    world.elapse(FIRST_PAUSE.multipliedBy(2));

    assertThat(world.run().claim("a").allocatedByUs()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void whoseFinalizerIsRefusedIsLeftAloneToo(Asking asking) {
    refuses("addFinalizer", 1);
    asking.in(world);
    assertThat(world.pass(FIRST_PAUSE.minus(A_STEP)).claim("a").hasFinalizer()).isFalse();
    world.pass(A_STEP);

    assertThat(world.claim("a").allocatedByUs()).isTrue();
  }

  @Test
  void whatIsLeftAloneIsToldAndKeepsNothingFromOthers() {
    refuses("allocate", 1);
    Asking.POD.in(world);
    assertThat(world.cluster.warnings)
        .extracting("message")
        .contains("claim default/a: the API server refuses the write");
    assertThat(world.driver.holds).isEmpty();
    assertThat(world.claim("a").hasFinalizer()).isFalse();
    world.addClaim(claim("b")).addPod("other", World.direct("b")).select("other", "worker").run();

    assertThat(world.claim("b").allocatedByUs()).isTrue();
  }

  @Test
  void onePodsClaimsAreLeftAloneTogetherAndAnotherPodMayHaveTheRest() {
    World two = World.of("worker", 2);
    two.cluster.failNext("addFinalizer", Kind.REJECTED);
    two.addClaim(claim("a")).addClaim(claim("b"));
    two.addPod("both", World.direct("a"), World.direct("b")).select("both", "worker").run();
    assertThat(two.claim("b").allocation()).isEmpty();
    two.addPod("one", World.direct("b")).select("one", "worker").run();

    assertThat(two.claim("b").reservedFor()).containsExactly("one-uid");
    assertThat(two.claim("a").allocation()).isEmpty();
    assertThat(two.pass(FIRST_PAUSE).claim("a").allocatedByUs()).isTrue();
  }

  static Stream<Named<Consumer<World>>> changes() {
    return Stream.of(
        Named.of("the claim", world -> world.cluster.change(Some.ref("a"), c -> c.owner("me"))),
        Named.of(
            "its class",
            world -> {
              Optional<ParametersRef> other = Optional.of(PARAMETERS);
              world.cluster.classes.put(
                  "mock-class",
                  new ClassFacts("mock-class", Some.DRIVER, false, other, Optional.empty()));
              world.requeuer.classChanged("mock-class");
            }),
        Named.of(
            "its parameters",
            world -> {
              world.driver.parameters.put("a", new DriverParameters.Ready<>("two"));
              world.requeuer.parametersChanged(PARAMETERS);
            }));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void whatChangesIsTriedAtOnce(Consumer<World> change) {
    refuses("allocate", 1);
    Asking.POD.in(world);
    world.requeuer.classChanged("mock-class");
    world.requeuer.parametersChanged(PARAMETERS);
    assertThat(world.run().claim("a").allocation()).as("nothing did").isEmpty();
    change.accept(world);

    assertThat(world.run().claim("a").allocatedByUs()).isTrue();
  }

  @Test
  void whatIsRememberedOfRefusalsStaysWithinItsBudgetHoweverMuchWasAskedFor() {
    WriteRejectionBackoff rejections = new WriteRejectionBackoff(() -> 0L);
    ClassFacts ours = world.cluster.addClass("ours", Some.DRIVER, /* structured= */ false);
    long before = LiveHeap.bytes();
    for (int i = 0; i < REFUSED; i++) {
      PendingClaim<String> large =
          new PendingClaim<>(claim("c" + i).facts(), ours, "x".repeat(LARGE) + i);
      rejections.add(ImmutableList.of(large), ImmutableList.of(large.claim()));
    }

    assertThat(LiveHeap.bytes() - before).isLessThan(MemoryBudget.REJECTIONS.bytes());
    assertThat(rejections.size()).isBetween(20_000, REFUSED - 1);
  }
}
