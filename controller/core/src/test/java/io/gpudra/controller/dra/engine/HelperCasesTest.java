package io.gpudra.controller.dra.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.loop.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The 31 cases of the Go helper's own test (protocol.md 2.3), one step of the loop each. */
final class HelperCasesTest {
  private static final int FIRST_CONTEXT_CASE = 23;

  /**
   * What each case starts from and how it must look afterwards is in {@link HelperCases}.
   *
   * <p>Both columns are in our words: the driver's calls (release is Deallocate), the server's
   * calls (APPLY: our entries of the context), and after the arrow what becomes of the key: done
   * (success), again (requeue), after (periodic), error (back-off and a Warning). Reading
   * parameters is left out.
   */
  private static final String TABLE =
      """
       # | case                                                    | helper                                                                                   | ours                                                                  | why
       1 | invalid-key                                             | → error                                                                                  | → done                                                                | architecture.md 4: keys are typed, none is invalid
       2 | not-found                                               | → done                                                                                   | → done                                                                |
       3 | wrong-driver                                            | → again                                                                                  | → done                                                                | H12: an event of the class wakes it
       4 | immediate-deleted-finalizer-removal                     | release, PUT removeFinalizer → done                                                      | release, PUT removeFinalizer → done                                   |
       5 | immediate-deleted-finalizer-stop-failure                | release → error                                                                          | PUT removeFinalizer → again                                           | architecture.md 4.1: release never fails, the write may
       6 | immediate-deleted-finalizer-no-removal                  | → done                                                                                   | → done                                                                |
       7 | immediate-deleted-allocated                             | release, PUT deallocate, PUT removeFinalizer → done                                      | release, PUT deallocate, PUT removeFinalizer → done                   |
       8 | immediate-deleted-deallocate-failure                    | release → error                                                                          | PUT deallocate → again                                                | architecture.md 4.1: release never fails, the write may
       9 | immediate-deleted-no-finalizer                          | → done                                                                                   | → done                                                                |
      10 | immediate-do-allocation                                 | allocate, PUT addFinalizer, PUT allocate → done                                          | allocate, PUT addFinalizer, PUT allocate → done                       |
      11 | immediate-continue-allocation                           | allocate, PUT allocate → done                                                            | allocate, PUT allocate → done                                         |
      12 | immediate-fail-allocation                               | allocate → error                                                                         | allocate → after                                                      | H17: told as NoMatchingDevice; architecture.md 7.3: woken by capacity
      13 | immediate-allocated-nop                                 | → done                                                                                   | → done                                                                |
      14 | immediate-allocated-reallocate                          | release, PUT deallocate, PUT removeFinalizer → done                                      | release, PUT deallocate, PUT removeFinalizer → done                   |
      15 | immediate-allocated-fail-deallocation-during-reallocate | release → error                                                                          | PUT deallocate → again                                                | architecture.md 4.1: release never fails, the write may
      16 | delayed-deleted-finalizer-removal                       | release, PUT removeFinalizer → done                                                      | release, PUT removeFinalizer → done                                   |
      17 | delayed-deleted-finalizer-stop-failure                  | release → error                                                                          | PUT removeFinalizer → again                                           | architecture.md 4.1: release never fails, the write may
      18 | delayed-deleted-finalizer-no-removal                    | → done                                                                                   | → done                                                                |
      19 | delayed-deleted-allocated                               | release, PUT deallocate, PUT removeFinalizer → done                                      | release, PUT deallocate, PUT removeFinalizer → done                   |
      20 | delayed-deleted-deallocate-failure                      | release → error                                                                          | PUT deallocate → again                                                | architecture.md 4.1: release never fails, the write may
      21 | delayed-deleted-no-finalizer                            | → done                                                                                   | → done                                                                |
      22 | delayed-pending                                         | → done                                                                                   | → done                                                                |
      23 | pod-nop                                                 | GET pod → after                                                                          | GET pod → done                                                        | H19: nothing of ours is pending, so no poll
      24 | pod-immediate                                           | GET pod → after                                                                          | GET pod → done                                                        | H19: nothing of ours is pending, so no poll
      25 | pod-delayed-no-nodes                                    | → done                                                                                   | → done                                                                |
      26 | pod-delayed-info                                        | suitability, GET pod, APPLY [worker-2] → after                                           | suitability, GET pod, APPLY [worker-2] → after                        |
      27 | pod-delayed-missing-class                               | GET pod → error                                                                          | GET pod → after                                                       | H11: told once, an event of the class wakes it
      28 | pod-delayed-allocate                                    | suitability, allocate, GET pod, PUT addFinalizer, PUT allocate, APPLY [worker-2] → after | suitability, allocate, GET pod, PUT addFinalizer, PUT allocate → done | architecture.md 7.2: the allocation is the answer; H19
      29 | pod-selected-is-potential-node                          | suitability, GET pod, APPLY [worker, worker-2] → after                                   | suitability, GET pod, APPLY [worker, worker-2] → after                |
      30 | pod-selected-is-potential-node-truncate-first           | suitability, GET pod, APPLY 128 without [node-0] → after                                 | suitability, GET pod, APPLY 128 without [node-99] → after             | H8: selected node first, the last by name go
      31 | pod-selected-is-potential-node-truncate-last            | suitability, GET pod, APPLY 128 without [node-127] → after                               | suitability, GET pod, APPLY 128 without [node-99] → after             | H8: selected node first, the last by name go
      """;

  private record Row(int number, String name, String helper, String ours, String why) {
    static Row parse(String line) {
      List<String> cells = Splitter.on('|').trimResults().splitToList(line);
      return new Row(
          Integer.parseInt(cells.get(0)), cells.get(1), cells.get(2), cells.get(3), cells.get(4));
    }

    @Override
    public String toString() {
      return number + " " + name + (why.isEmpty() ? "" : " (" + why + ")");
    }
  }

  static Stream<Row> table() {
    return TABLE.lines().skip(1).map(Row::parse);
  }

  @ParameterizedTest
  @MethodSource("table")
  void weDoWhatTheTableSays(Row row) {
    boolean onContext = row.number() >= FIRST_CONTEXT_CASE;
    World world = new World(ImmutableMap.of("worker", 1, "worker-2", onContext ? 1 : 0));
    HelperCases.of(row.name()).given().accept(world);
    if (!onContext) {
      world.requeuer.claimKeys().add(new ObjectKey(Some.NS, "claim"));
    }
    world.takeCalls();
    world.driver.calls.clear();

    assertThat((onContext ? world.contextLoop : world.claimLoop).runOnce()).isTrue();

    assertThat(observed(world)).isEqualTo(row.ours());
    HelperCases.of(row.name()).then().accept(world);
    world.cluster.checkInvariants();
  }

  @Test
  void theTableIsCompleteAndEachDifferenceHasItsReason() {
    ImmutableList<Row> rows = table().collect(ImmutableList.toImmutableList());
    assertThat(rows)
        .extracting(Row::number)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 31).boxed().toList());
    assertThat(rows).extracting(Row::name).containsExactlyInAnyOrderElementsOf(HelperCases.names());
    for (Row row : rows) {
      assertThat(row.why())
          .as(row.toString())
          .matches(row.helper().equals(row.ours()) ? "" : "(H\\d+|architecture\\.md \\d)\\b.*");
    }
  }

  private static String observed(World world) {
    // A release after the deallocation and one after the removal of the finalizer are the same to
    // the driver.
    Stream<String> driver =
        world.driver.calls.stream()
            .map(call -> Splitter.on(' ').splitToList(call).get(0))
            .filter(verb -> !verb.equals("parameters"))
            .distinct();
    Stream<String> api = world.cluster.calls.stream().map(call -> call(world, call));
    String calls = Stream.concat(driver, api).collect(Collectors.joining(", "));
    return (calls + " → " + world.outcome()).trim();
  }

  private static String call(World world, String call) {
    List<String> words = Splitter.on(' ').limit(3).splitToList(call);
    if (!words.get(0).equals("APPLY")) {
      return words.get(0) + " " + words.get(1);
    }
    ImmutableSet<String> entry =
        Optional.ofNullable(world.entries("pod").get("my-claim")).orElseThrow();
    return entry.size() <= 2
        ? "APPLY " + entry
        : "APPLY " + entry.size() + " without " + Sets.difference(HelperCases.OFFERED, entry);
  }
}
