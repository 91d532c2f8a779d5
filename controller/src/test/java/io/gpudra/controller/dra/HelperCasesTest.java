package io.gpudra.controller.dra;

import static io.gpudra.controller.dra.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.loop.ObjectKey;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The 31 cases of the Go helper's own test (protocol.md 9.2), one step of the loop each. */
final class HelperCasesTest {
  private static final String[] MAX_NODES =
      IntStream.range(0, 128).mapToObj(i -> "node-" + i).toArray(String[]::new);

  /**
   * @param helper what the helper does, as far as it differs
   * @param ours what we do: the driver's calls, then the server's
   * @param why of a difference, empty where we do the same
   */
  private record Case(
      String name,
      String helper,
      String ours,
      String why,
      Consumer<World> given,
      Consumer<World> then) {
    @Override
    public String toString() {
      return name + (why.isEmpty() ? "" : " (" + why + ")");
    }
  }

  static Stream<Case> claimCases() {
    return Stream.of(immediateEnds(), immediateStarts(), immediateAgain(), delayedClaims())
        .flatMap(cases -> cases);
  }

  static Stream<Case> podCases() {
    return Stream.of(quietPods(), judgedPods(), selectedNodes()).flatMap(cases -> cases);
  }

  private static Stream<Case> immediateEnds() {
    return Stream.of(
        new Case("1 invalid-key", "error", "", "keys are typed: design 5", w -> {}, w -> {}),
        new Case("2 not-found", "success", "", "", w -> {}, w -> {}),
        new Case(
            "3 wrong-driver",
            "requeue",
            "",
            "H12: the class's event wakes it",
            w -> w.addClaim(claim("claim").immediate().ofClass("other-class")),
            HelperCasesTest::unguardedAndFree),
        given("4 immediate-deleted-finalizer-removal", claim("claim").immediate(), true, false),
        stuck("5 immediate-deleted-finalizer-stop-failure", claim("claim").immediate(), false),
        untouched("6 immediate-deleted-finalizer-no-removal", claim("claim").immediate()),
        given("7 immediate-deleted-allocated", claim("claim").immediate(), true, true),
        stuck("8 immediate-deleted-deallocate-failure", claim("claim").immediate(), true),
        untouched("9 immediate-deleted-no-finalizer", claim("claim").immediate()));
  }

  private static Stream<Case> immediateStarts() {
    return Stream.of(
        new Case(
            "10 immediate-do-allocation",
            "",
            "allocate, PUT guard, PUT allocate",
            "",
            w -> w.addClaim(claim("claim").immediate()),
            grantedTo()),
        new Case(
            "11 immediate-continue-allocation",
            "",
            "allocate, PUT allocate",
            "",
            w -> w.addClaim(claim("claim").immediate().guarded(true)),
            grantedTo()),
        new Case(
            "12 immediate-fail-allocation",
            "error",
            "allocate",
            "H17: told as NoMatchingDevice",
            w -> {
              w.driver.unsuitable = ImmutableSet.of("worker", "worker-2");
              w.addClaim(claim("claim").immediate().guarded(true));
            },
            w -> {
              assertThat(w.claim("claim").guarded()).isTrue();
              assertThat(w.cluster.warnings)
                  .singleElement()
                  .extracting("reason")
                  .isEqualTo("NoMatchingDevice");
            }));
  }

  private static Stream<Case> immediateAgain() {
    return Stream.of(
        new Case(
            "13 immediate-allocated-nop",
            "",
            "",
            "",
            w -> w.addClaim(claim("claim").immediate().guarded(true).byUs("worker#0", "worker")),
            grantedTo()),
        new Case(
            "14 immediate-allocated-reallocate",
            "",
            "release, PUT clear, PUT unguard",
            "",
            w ->
                w.addClaim(
                    claim("claim")
                        .immediate()
                        .guarded(true)
                        .byUs("worker#0", "worker")
                        .requested(true)),
            HelperCasesTest::unguardedAndFree),
        new Case(
            "15 immediate-allocated-fail-deallocation-during-reallocate",
            "error",
            "PUT clear",
            "design 7: devices are given back when the status is cleared",
            w -> {
              w.cluster.failNext("clear", Kind.UNCLEAR);
              w.addClaim(
                  claim("claim")
                      .immediate()
                      .guarded(true)
                      .byUs("worker#0", "worker")
                      .requested(true));
            },
            grantedTo()));
  }

  private static Stream<Case> delayedClaims() {
    return Stream.of(
        given("16 delayed-deleted-finalizer-removal", claim("claim"), true, false),
        stuck("17 delayed-deleted-finalizer-stop-failure", claim("claim"), false),
        untouched("18 delayed-deleted-finalizer-no-removal", claim("claim")),
        given("19 delayed-deleted-allocated", claim("claim"), true, true),
        stuck("20 delayed-deleted-deallocate-failure", claim("claim"), true),
        untouched("21 delayed-deleted-no-finalizer", claim("claim")),
        new Case(
            "22 delayed-pending",
            "",
            "",
            "",
            w -> w.addClaim(claim("claim")),
            HelperCasesTest::unguardedAndFree));
  }

  private static Stream<Case> quietPods() {
    return Stream.of(
        new Case(
            "23 pod-nop",
            "periodic",
            "GET pod",
            "H19: nothing of ours, no polling",
            w -> w.addPod("pod").addContext("pod", Optional.of("worker")),
            w -> {}),
        new Case(
            "24 pod-immediate",
            "periodic",
            "GET pod",
            "H19",
            w -> {
              w.cluster.classes.clear();
              w.addClaim(claim("claim").immediate());
              w.addPod("pod", World.direct("claim")).addContext("pod", Optional.of("worker"));
            },
            HelperCasesTest::unguardedAndFree),
        new Case(
            "25 pod-delayed-no-nodes",
            "",
            "",
            "",
            w ->
                w.addClaim(claim("claim"))
                    .addPod("pod", World.direct("claim"))
                    .addContext("pod", Optional.empty()),
            HelperCasesTest::unguardedAndFree));
  }

  private static Stream<Case> judgedPods() {
    return Stream.of(
        new Case(
            "26 pod-delayed-info",
            "",
            "suitability, GET pod, APPLY pod",
            "",
            w -> {
              w.driver.unsuitable = ImmutableSet.of("worker-2");
              delayed(w).addContext("pod", Optional.empty(), "worker", "worker-2");
            },
            w -> assertThat(entry(w)).containsExactly("worker-2")),
        new Case(
            "27 pod-delayed-missing-class",
            "error",
            "GET pod",
            "H11: told once, looked at again when the class comes",
            w -> {
              w.cluster.classes.clear();
              delayed(w).addContext("pod", Optional.of("worker"), "worker", "worker-2");
            },
            w ->
                assertThat(w.cluster.warnings)
                    .allMatch(warning -> warning.reason().equals("ClassNotFound"))
                    .hasSize(2)));
  }

  private static Stream<Case> selectedNodes() {
    return Stream.of(
        new Case(
            "28 pod-delayed-allocate",
            "entry [worker-2]",
            "suitability, allocate, GET pod, PUT guard, PUT allocate",
            "design 5: the allocation is the answer",
            w -> {
              w.driver.unsuitable = ImmutableSet.of("worker-2");
              delayed(w).addContext("pod", Optional.of("worker"), "worker", "worker-2");
            },
            w -> {
              grantedTo("pod-uid").accept(w);
              assertThat(w.entries("pod")).isEmpty();
            }),
        new Case(
            "29 pod-selected-is-potential-node",
            "",
            "suitability, GET pod, APPLY pod",
            "",
            w -> {
              w.driver.unsuitable = ImmutableSet.of("worker", "worker-2");
              delayed(w).addContext("pod", Optional.of("worker"), "worker", "worker-2");
            },
            w -> assertThat(entry(w)).containsExactlyInAnyOrder("worker", "worker-2")),
        truncation("30 pod-selected-is-potential-node-truncate-first"),
        truncation("31 pod-selected-is-potential-node-truncate-last"));
  }

  @ParameterizedTest
  @MethodSource("claimCases")
  void aClaimKeyDoesWhatTheTableSays(Case row) {
    World world = new World(ImmutableMap.of("worker", 1, "worker-2", 0));
    row.given().accept(world);
    world.wakeUps.claimKeys().add(new ObjectKey(Some.NS, "claim"));
    world.takeCalls();
    world.driver.calls.clear();
    assertThat(world.claimLoop.runOnce()).isTrue();
    check(world, row);
  }

  @ParameterizedTest
  @MethodSource("podCases")
  void aContextKeyDoesWhatTheTableSays(Case row) {
    World world = new World(ImmutableMap.of("worker", 1, "worker-2", 1));
    row.given().accept(world);
    world.takeCalls();
    assertThat(world.contextLoop.runOnce()).isTrue();
    check(world, row);
  }

  private static void check(World world, Case row) {
    Stream<String> driver =
        world.driver.calls.stream()
            .map(call -> call.split(" ", -1)[0])
            .filter(verb -> !verb.equals("parameters"));
    // A release after the clear and one after the unguard are the same to the driver.
    Stream<String> api = world.cluster.calls.stream().map(call -> String.join(" ", first(call, 2)));
    assertThat(String.join(", ", Stream.concat(driver.distinct(), api).toList()))
        .isEqualTo(row.ours());
    assertThat(row.why().isEmpty())
        .as("a difference to the helper has its reason")
        .isEqualTo(row.helper().isEmpty() || row.helper().equals("success"));
    row.then().accept(world);
    world.cluster.checkInvariants();
  }

  private static List<String> first(String call, int words) {
    return Arrays.asList(call.split(" ", -1)).subList(0, words);
  }

  private static Case given(String name, Some claim, boolean guarded, boolean allocated) {
    return new Case(
        name,
        "",
        allocated ? "release, PUT clear, PUT unguard" : "release, PUT unguard",
        "",
        w -> {
          w.cluster.heldByOthers.add(Some.ref("claim"));
          claim.guarded(guarded).deleting();
          w.addClaim(allocated ? claim.byUs("worker#0", "worker") : claim);
        },
        HelperCasesTest::unguardedAndFree);
  }

  /** Our driver cannot fail to give back; what can fail is the write. */
  private static Case stuck(String name, Some claim, boolean allocated) {
    return new Case(
        name,
        "error",
        allocated ? "PUT clear" : "PUT unguard",
        "design 4: release never fails; the write may",
        w -> {
          w.cluster.failNext(allocated ? "clear" : "unguard", Kind.UNCLEAR);
          claim.guarded(true).deleting();
          w.addClaim(allocated ? claim.byUs("worker#0", "worker") : claim);
        },
        w -> {
          assertThat(w.claim("claim").guarded()).isTrue();
          assertThat(w.claim("claim").allocation().isPresent()).isEqualTo(allocated);
        });
  }

  private static Case untouched(String name, Some claim) {
    return new Case(
        name,
        "",
        "",
        "",
        w -> {
          w.cluster.heldByOthers.add(Some.ref("claim"));
          w.addClaim(claim.deleting());
        },
        HelperCasesTest::unguardedAndFree);
  }

  private static Case truncation(String name) {
    return new Case(
        name,
        "",
        "suitability, GET pod, APPLY pod",
        "",
        w -> {
          w.driver.unsuitable = ImmutableSet.<String>builder().add(MAX_NODES).add("worker").build();
          delayed(w).addContext("pod", Optional.of("worker"), MAX_NODES);
        },
        w -> assertThat(entry(w)).hasSize(128).contains("worker"));
  }

  private static World delayed(World world) {
    return world.addClaim(claim("claim")).addPod("pod", World.direct("claim"));
  }

  private static ImmutableSet<String> entry(World world) {
    return Optional.ofNullable(world.entries("pod").get("my-claim")).orElseThrow();
  }

  private static void unguardedAndFree(World w) {
    assertThat(w.claim("claim").guarded()).isFalse();
    assertThat(w.claim("claim").allocation()).isEmpty();
    assertThat(w.claim("claim").deallocationRequested()).isFalse();
    assertThat(w.driver.holds).isEmpty();
  }

  private static Consumer<World> grantedTo(String... pods) {
    return w -> {
      assertThat(w.claim("claim").allocatedByUs()).isTrue();
      assertThat(w.claim("claim").guarded()).isTrue();
      assertThat(w.claim("claim").reservedFor()).containsExactly(pods);
    };
  }
}
