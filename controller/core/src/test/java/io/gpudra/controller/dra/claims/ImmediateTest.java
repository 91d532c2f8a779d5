package io.gpudra.controller.dra.claims;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims that are allocated before anybody uses them. */
final class ImmediateTest {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final World world = World.of("worker", 1);

  private World holdsAllThereIs() {
    return world.addClaim(claim("holder").immediate()).run();
  }

  @ParameterizedTest
  @ValueSource(strings = {"addFinalizer", "allocate"})
  void whatHasNoClearAnswerIsSentAgainSoonAndThenTheClaimIsServed(String verb) {
    world.cluster.failNext(verb, Kind.UNCLEAR);
    world.cluster.failNext(verb, Kind.UNCLEAR);
    world.addClaim(claim("c").immediate()).pass(SOON);

    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.cluster.moments).containsExactly("granted IMMEDIATE asked at " + Some.EPOCH);
  }

  @Test
  void whatTheServerRefusesIsToldAndTriedAgainAfterAPause() {
    world.cluster.failNext("addFinalizer", Kind.REJECTED);
    world.addClaim(claim("c").immediate()).pass(SOON.multipliedBy(3));

    assertThat(world.cluster.warnings)
        .extracting("message")
        .containsExactly("the API server refuses the write");
    assertThat(world.claim("c").allocatedByUs()).isTrue();
  }

  @Test
  void aReleaseThatOthersDisturbAllTheTimeIsTriedFiveTimesInAPass() {
    holdsAllThereIs();
    world.takeCalls();
    world.cluster.change(Some.ref("holder"), claim -> claim.requested(true));
    Collections.nCopies(5, Kind.CONFLICT)
        .forEach(kind -> world.cluster.failNext("deallocate", kind));
    assertThat(world.claimLoop.runOnce()).isTrue();

    assertThat(Collections.frequency(world.takeCalls(), "PUT deallocate holder")).isEqualTo(5);
    assertThat(world.claim("holder").allocatedByUs()).isTrue();
    world.pass(SOON);
    assertThat(world.claim("holder").deallocationRequested()).isFalse();
  }

  @Test
  void whoIsRefusedForItselfAloneLooksEverywhereAgain() {
    World two = new World(ImmutableMap.of("a", 1, "b", 1));
    two.addClaim(claim("one").immediate()).addClaim(claim("two").immediate()).run();
    two.addClaim(claim("waits").immediate()).run();
    two.driver.calls.clear();
    two.driver.refusingCommit = ImmutableSet.of("b");
    two.requeuer.freed("b", 1);
    two.run();

    assertThat(two.driver.calls).contains("allocate [waits]");
  }

  @Test
  void aDeviceThatIsTakenIsOfferedToNobodyElse() {
    holdsAllThereIs();
    for (int i = 0; i < 4; i++) {
      world.addClaim(claim("waits-" + i).immediate());
    }
    world.run();
    world.driver.calls.clear();
    world.cluster.remove(Some.ref("holder"));
    world.run();

    assertThat(world.claim("waits-0").allocatedByUs()).isTrue();
    assertThat(world.driver.calls)
        .contains("allocate [waits-1]")
        .doesNotContain("allocate [waits-2]", "allocate [waits-3]");
  }

  private static PodFacts pod(int priority, PodClaim... entries) {
    return new PodFacts(
        World.podRef("pod"),
        new WaitRank(priority, Some.EPOCH),
        Optional.empty(),
        false,
        false,
        ImmutableList.copyOf(entries),
        ImmutableList.of());
  }

  private void waitsForPriority(int priority) {
    waitsFor(pod(priority, World.direct("owned")));
  }

  private void waitsFor(PodFacts pod) {
    world.addPod(pod).addClaim(claim("owned").immediate().owner("pod-uid")).run();
  }

  @ParameterizedTest
  @CsvSource({"5, owned", "0, named", "-5, named"})
  void aClaimThatAPodOwnsWaitsWithThePriorityOfThePod(int priority, String first) {
    holdsAllThereIs();
    world.addClaim(claim("named").immediate()).run();
    waitsForPriority(priority);
    world.cluster.remove(Some.ref("holder"));
    world.run();

    assertThat(world.claim(first).allocatedByUs()).isTrue();
  }

  @Test
  void aClaimThatIsNotRecordedInItsPodYetHasThePriorityOfThePod() {
    holdsAllThereIs();
    world.addClaim(claim("named").immediate()).run();
    waitsFor(pod(5, new PodClaim("my-owned", new Resolution.NotYet())));
    world.cluster.remove(Some.ref("holder"));
    world.run();

    assertThat(world.claim("owned").allocatedByUs()).isTrue();
  }

  @Test
  void aClaimBorrowsNoPriorityOfAPodThatDoesNotUseIt() {
    holdsAllThereIs();
    world.addClaim(claim("named").immediate()).run();
    waitsFor(pod(5, World.direct("another"), new PodClaim("none", new Resolution.None())));
    world.cluster.remove(Some.ref("holder"));
    world.run();

    assertThat(world.claim("named").allocatedByUs()).isTrue();
  }

  @Test
  void theOwnerIsReadWhenTheClaimBeginsToWaitAndNotAgain() {
    holdsAllThereIs();
    waitsForPriority(5);
    world.addClaim(claim("named").immediate()).run();
    world.pass(Duration.ofMinutes(5));

    assertThat(world.takeCalls())
        .filteredOn(call -> call.startsWith("GET"))
        .containsExactly("GET pod pod");
  }

  @Test
  void noPodIsReadOnTheWayToAGrant() {
    waitsForPriority(5);

    assertThat(world.claim("owned").allocatedByUs()).isTrue();
    assertThat(world.takeCalls()).containsExactly("PUT addFinalizer owned", "PUT allocate owned");
  }

  static Stream<Named<Consumer<World>>> endsOfWaiting() {
    return Stream.of(
        Named.of("it goes", world -> world.cluster.remove(Some.ref("waits"))),
        Named.of("another allocates it", change(Some::byOther)),
        Named.of(
            "its class goes",
            world -> {
              world.cluster.classes.clear();
              world.requeuer.classChanged("mock-class");
            }));
  }

  private static Consumer<World> change(UnaryOperator<Some> how) {
    return world -> world.cluster.change(Some.ref("waits"), how);
  }

  @ParameterizedTest
  @MethodSource("endsOfWaiting")
  void whoWaitsNoMoreIsForgotten(Consumer<World> end) {
    holdsAllThereIs();
    world.addClaim(claim("waits").immediate()).run();
    assertThat(world.remembered()).isEqualTo(ImmutableMap.of("waiters", 1));
    end.accept(world);
    world.run();

    assertThat(world.remembered()).isEmpty();
  }
}
