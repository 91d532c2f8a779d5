package io.gpudra.controller.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept for those who ask, and for how long. */
class BoundedCacheTest {
  private static final int LARGE = (int) MemoryBudget.STATUS.bytes() / 8;

  private final List<String> begun = new ArrayList<>();
  private final BoundedCache<String, String, Kept> boundedCache =
      new BoundedCache<>(MemoryBudget.STATUS, this::begin, kept -> kept.bytes);

  private static final class Kept {
    private int bytes;
  }

  private Kept begin(String question) {
    begun.add(question);
    return new Kept();
  }

  @Test
  void whatSeveralAskIsWorkedOutOnce() {
    Kept first = boundedCache.get("a", "one");

    assertThat(boundedCache.get("b", "one")).isSameAs(first);
    assertThat(begun).containsExactly("one");
  }

  @Test
  void whatNobodyAsksAnyMoreGoesAtOnce() {
    boundedCache.get("a", "one");
    boundedCache.get("a", "two");
    boundedCache.get("b", "one");

    assertThat(begun).containsExactly("one", "two", "one");
  }

  @Test
  void whatSomebodyElseStillAsksStays() {
    boundedCache.get("a", "one");
    boundedCache.get("b", "one");
    boundedCache.get("a", "two");
    boundedCache.get("c", "one");

    assertThat(begun).containsExactly("one", "two");
  }

  @Test
  void whoIsGoneTakesItAlong() {
    boundedCache.get("a", "one");
    boundedCache.removeAsker("a");
    boundedCache.get("b", "one");

    assertThat(begun).containsExactly("one", "one");
  }

  @Test
  void whatHasGrownIsWeighedAgain() {
    for (int i = 0; i < 100; i++) {
      boundedCache.get("who" + i, "question" + i).bytes = LARGE;
      boundedCache.grew("question" + i);
    }
    begun.clear();
    for (int i = 0; i < 100; i++) {
      boundedCache.get("who" + i, "question" + i);
    }

    assertThat(begun).as("worked out again").hasSizeGreaterThan(90);
  }

  @Test
  void thousandsOfQuestionsOfOneHashAreComparedWithFew() {
    int[] compared = new int[1];
    BoundedCache<Integer, Colliding, Kept> flooded =
        new BoundedCache<>(MemoryBudget.STATUS, question -> new Kept(), kept -> kept.bytes);
    for (int i = 0; i < 5_000; i++) {
      flooded.get(i, new Colliding(i, compared));
    }

    assertThat(compared[0]).isLessThanOrEqualTo(6 * 5_000 * HashBoundCache.ALIKE);
  }
}
