package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;

class TallyTest {
  private static final int CLASSES = 10_000;

  private static long sum(Tally.Table table) {
    return table.counts().values().stream().mapToLong(count -> count).sum();
  }

  @Test
  void whatHasTheSameLabelsIsCountedTogether() {
    Tally tally = new Tally("class", "age");
    tally.add(1, "a", "1m");
    tally.add(2, "a", "1m");
    tally.add(0, "a", "1h");

    assertThat(tally.table().labels()).containsExactly("class", "age");
    assertThat(tally.table().counts())
        .hasSize(2)
        .containsEntry(ImmutableList.of("a", "1m"), 3L)
        .containsEntry(ImmutableList.of("a", "1h"), 0L);
  }

  @Test
  void tenThousandClassesMakeABoundedPageThatMissesNothing() {
    Tally tally = new Tally("class", "age");
    for (int i = 0; i < CLASSES; i++) {
      tally.add(1, "class-" + i, "1m");
      tally.add(0, "class-" + i, "1h");
    }

    Tally.Table table = tally.table();

    assertThat(table.counts()).hasSize(2 * (Tally.MAX + 1));
    assertThat(sum(table)).isEqualTo(CLASSES);
    assertThat(table.counts())
        .containsEntry(ImmutableList.of("other", "1m"), (long) CLASSES - Tally.MAX)
        .containsEntry(ImmutableList.of("other", "1h"), 0L);
  }

  @Test
  void theGreatestKeepTheirNamesAndOfEqualOnesTheFirstByName() {
    Tally tally = new Tally("class");
    for (int i = 0; i < 100; i++) {
      tally.add(1, "class-%03d".formatted(i));
    }
    tally.add(5, "popular");

    assertThat(tally.table().counts())
        .containsEntry(ImmutableList.of("popular"), 5L)
        .containsKey(ImmutableList.of("class-030"))
        .doesNotContainKey(ImmutableList.of("class-031"))
        .containsEntry(ImmutableList.of("other"), 69L);
  }

  @Test
  void asManyAsThereIsRoomForKeepTheirNames() {
    Tally tally = new Tally("class");
    for (int i = 0; i < Tally.MAX; i++) {
      tally.add(1, "class-" + i);
    }

    assertThat(tally.table().counts()).hasSize(Tally.MAX).doesNotContainKey(other());
  }

  private static ImmutableList<String> other() {
    return ImmutableList.of(Tally.OTHER);
  }

  @Test
  void theNameOfTheRestMayBeTakenAlready() {
    Tally tally = new Tally("class");
    tally.add(1_000, Tally.OTHER);
    for (int i = 0; i < 100; i++) {
      tally.add(1, "class-" + i);
    }

    assertThat(tally.table().counts()).containsEntry(other(), 1_000L + 100 - Tally.MAX + 1);
  }

  @Test
  void everyLabelHasAValue() {
    assertThatThrownBy(() -> new Tally("class", "age").add(1, "a"))
        .hasMessage("1 values for labels [class, age]");
  }
}
