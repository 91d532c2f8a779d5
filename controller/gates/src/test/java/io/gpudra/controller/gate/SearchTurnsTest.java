package io.gpudra.controller.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Pods of a namespace that are searched one after the other, without a poll. */
final class SearchTurnsTest {
  private static final String FOUND = "found";

  private final List<WorkKey> called = new ArrayList<>();
  private final SearchTurns turns = new SearchTurns(called::add);

  private static Waiter waiter(int priority, String namespace, String name) {
    WorkKey work = WorkKey.gate(new ObjectKey(namespace, "pod/" + name));
    return new Waiter(new WaitRank(priority, Instant.EPOCH), name, work);
  }

  private static Waiter waiter(String name) {
    return waiter(0, "a", name);
  }

  private static WorkKey pod(String name) {
    return waiter(name).work();
  }

  private Optional<String> search(Waiter waiter) {
    return turns.inTurn(waiter, () -> FOUND);
  }

  private Optional<String> search(String name) {
    return search(waiter(name));
  }

  /** Takes all places of the namespace during this. */
  private void whileFull(Runnable meanwhile) {
    Supplier<String> search =
        () -> {
          meanwhile.run();
          return FOUND;
        };
    for (int i = 1; i < SearchTurns.MAX_WORKERS; i++) {
      String name = "holder" + i;
      Supplier<String> inner = search;
      search = () -> turns.inTurn(waiter(name), inner).orElseThrow();
    }
    assertThat(turns.inTurn(waiter("holder0"), search)).contains(FOUND);
  }

  @Test
  void aPodIsSearchedAtOnceIfNoOtherIs() {
    assertThat(search("p")).contains(FOUND);
    assertThat(turns.size()).isZero();
    assertThat(called).isEmpty();
  }

  @Test
  void aPodThatIsTurnedAwayIsCalledWhenASearchEnds() {
    whileFull(
        () -> {
          assertThat(search("p")).isEmpty();
          assertThat(turns.isWaiting(waiter("p"))).isTrue();
          assertThat(called).isEmpty();
        });

    assertThat(called).containsExactly(pod("p"));
    assertThat(turns.isCalled(pod("p"))).isTrue();
    assertThat(search("p")).contains(FOUND);
    assertThat(turns.isWaiting(waiter("p"))).isFalse();
  }

  @Test
  void aPodThatIsCalledWaitsUntilItIsSearched() {
    whileFull(() -> search("p"));

    assertThat(turns.isWaiting(waiter("p"))).isTrue();
  }

  @Test
  void aPodOfHigherPriorityIsCalledBeforeOthersThatCameFirst() {
    whileFull(
        () -> {
          List.of("p1", "p2", "p3").forEach(this::search);
          search(waiter(1, "a", "urgent"));
        });

    assertThat(called).containsExactly(pod("urgent"), pod("p1"), pod("p2"));
  }

  @Test
  void podsAreCalledInTheirOrderOneForEachPlace() {
    whileFull(() -> List.of("p1", "p2", "p3", "p4", "p5").forEach(name -> search(name)));

    assertThat(called).containsExactly(pod("p1"), pod("p2"), pod("p3"));
    assertThat(search("p2")).contains(FOUND);
    assertThat(called).endsWith(pod("p4"));
  }

  @Test
  void aPlaceIsKeptForThePodThatWasCalled() {
    whileFull(() -> List.of("p1", "p2", "p3").forEach(name -> search(name)));

    assertThat(search("newcomer")).isEmpty();
    assertThat(search("p1")).contains(FOUND);
    assertThat(called).endsWith(pod("newcomer"));
  }

  @Test
  void aPodThatIsCalledAndNeedsNoSearchCallsTheNext() {
    whileFull(() -> List.of("p1", "p2", "p3", "p4").forEach(name -> search(name)));
    turns.passed(pod("p1"));

    assertThat(called).endsWith(pod("p4"));
  }

  @Test
  void nothingIsLeftOnceAllWereCalled() {
    whileFull(() -> List.of("p1", "p2", "p3", "p4").forEach(name -> search(name)));
    for (int i = 0; i < called.size(); i++) {
      turns.passed(called.get(i));
    }

    assertThat(called).hasSize(4);
    assertThat(turns.size()).isZero();
  }

  @Test
  void otherNamespacesDoNotWait() {
    whileFull(() -> assertThat(search(waiter(0, "b", "p"))).contains(FOUND));
  }

  @Test
  void aSearchThatFailsGivesItsPlaceBack() {
    assertThatThrownBy(
            () ->
                turns.inTurn(
                    waiter("p"),
                    () -> {
                      throw new IllegalStateException("defect");
                    }))
        .hasMessage("defect");
    assertThat(turns.size()).isZero();
  }
}
