package io.gpudra.controller.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.loop.ObjectKey;
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

  private static WorkKey pod(String namespace, String name) {
    return WorkKey.gate(new ObjectKey(namespace, "pod/" + name));
  }

  private static WorkKey pod(String name) {
    return pod("a", name);
  }

  private Optional<String> search(WorkKey work) {
    return turns.inTurn(work, () -> FOUND);
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
      search = () -> turns.inTurn(pod(name), inner).orElseThrow();
    }
    assertThat(turns.inTurn(pod("holder0"), search)).contains(FOUND);
  }

  @Test
  void aPodIsSearchedAtOnceIfNoOtherIs() {
    assertThat(search(pod("p"))).contains(FOUND);
    assertThat(turns.size()).isZero();
    assertThat(called).isEmpty();
  }

  @Test
  void aPodThatIsTurnedAwayIsCalledWhenASearchEnds() {
    whileFull(
        () -> {
          assertThat(search(pod("p"))).isEmpty();
          assertThat(turns.isTurnedAway(pod("p"))).isTrue();
          assertThat(called).isEmpty();
        });

    assertThat(called).containsExactly(pod("p"));
    assertThat(turns.isTurnedAway(pod("p"))).isFalse();
  }

  @Test
  void podsAreCalledInTheirOrderOneForEachPlace() {
    whileFull(() -> List.of("p1", "p2", "p3", "p4", "p5").forEach(name -> search(pod(name))));

    assertThat(called).containsExactly(pod("p1"), pod("p2"), pod("p3"));
    assertThat(search(pod("p2"))).contains(FOUND);
    assertThat(called).endsWith(pod("p4"));
  }

  @Test
  void aPlaceIsKeptForThePodThatWasCalled() {
    whileFull(() -> List.of("p1", "p2", "p3").forEach(name -> search(pod(name))));

    assertThat(search(pod("newcomer"))).isEmpty();
    assertThat(search(pod("p1"))).contains(FOUND);
    assertThat(called).endsWith(pod("newcomer"));
  }

  @Test
  void aPodThatIsCalledAndNeedsNoSearchCallsTheNext() {
    whileFull(() -> List.of("p1", "p2", "p3", "p4").forEach(name -> search(pod(name))));
    turns.passed(pod("p1"));

    assertThat(called).endsWith(pod("p4"));
  }

  @Test
  void nothingIsLeftOnceAllWereCalled() {
    whileFull(() -> List.of("p1", "p2", "p3", "p4").forEach(name -> search(pod(name))));
    for (int i = 0; i < called.size(); i++) {
      turns.passed(called.get(i));
    }

    assertThat(called).hasSize(4);
    assertThat(turns.size()).isZero();
  }

  @Test
  void aPassThatWasTurnedAwayKeepsItsPlaceInTheRow() {
    whileFull(
        () -> {
          search(pod("p"));
          turns.passed(pod("p"));
        });

    assertThat(called).containsExactly(pod("p"));
  }

  @Test
  void otherNamespacesDoNotWait() {
    whileFull(() -> assertThat(search(pod("b", "p"))).contains(FOUND));
  }

  @Test
  void aSearchThatFailsGivesItsPlaceBack() {
    assertThatThrownBy(
            () ->
                turns.inTurn(
                    pod("p"),
                    () -> {
                      throw new IllegalStateException("defect");
                    }))
        .hasMessage("defect");
    assertThat(turns.size()).isZero();
  }
}
