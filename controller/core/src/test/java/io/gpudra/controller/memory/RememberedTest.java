package io.gpudra.controller.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept for those who ask, and for how long. */
class RememberedTest {
  private static final int LARGE = (int) MemoryBudget.STATUS.bytes() / 8;

  private final List<String> begun = new ArrayList<>();
  private final Remembered<String, String, Kept> remembered =
      new Remembered<>(MemoryBudget.STATUS, this::begin, kept -> kept.bytes);

  private static final class Kept {
    private int bytes;
  }

  private Kept begin(String question) {
    begun.add(question);
    return new Kept();
  }

  @Test
  void whatSeveralAskIsWorkedOutOnce() {
    Kept first = remembered.asked("a", "one");

    assertThat(remembered.asked("b", "one")).isSameAs(first);
    assertThat(begun).containsExactly("one");
  }

  @Test
  void whatNobodyAsksAnyMoreGoesAtOnce() {
    remembered.asked("a", "one");
    remembered.asked("a", "two");
    remembered.asked("b", "one");

    assertThat(begun).containsExactly("one", "two", "one");
  }

  @Test
  void whatSomebodyElseStillAsksStays() {
    remembered.asked("a", "one");
    remembered.asked("b", "one");
    remembered.asked("a", "two");
    remembered.asked("c", "one");

    assertThat(begun).containsExactly("one", "two");
  }

  @Test
  void whoIsGoneTakesItAlong() {
    remembered.asked("a", "one");
    remembered.gone("a");
    remembered.asked("b", "one");

    assertThat(begun).containsExactly("one", "one");
  }

  @Test
  void whatHasGrownIsWeighedAgain() {
    for (int i = 0; i < 100; i++) {
      remembered.asked("who" + i, "question" + i).bytes = LARGE;
      remembered.grew("question" + i);
    }
    begun.clear();
    for (int i = 0; i < 100; i++) {
      remembered.asked("who" + i, "question" + i);
    }

    assertThat(begun).as("worked out again").hasSizeGreaterThan(90);
  }
}
