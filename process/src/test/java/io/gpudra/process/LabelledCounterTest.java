package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;

class LabelledCounterTest {
  private static final int CLASSES = 10_000;

  private static long sum(LabelledCounter.Table table) {
    return table.counts().values().stream().mapToLong(count -> count).sum();
  }

  @Test
  void whatHasTheSameLabelsIsCountedTogether() {
    LabelledCounter labelledCounter = new LabelledCounter("class", "age");
    labelledCounter.add(1, "a", "1m");
    labelledCounter.add(2, "a", "1m");
    labelledCounter.add(0, "a", "1h");

    assertThat(labelledCounter.table().labels()).containsExactly("class", "age");
    assertThat(labelledCounter.table().counts())
        .hasSize(2)
        .containsEntry(ImmutableList.of("a", "1m"), 3L)
        .containsEntry(ImmutableList.of("a", "1h"), 0L);
  }

  @Test
  void tenThousandClassesMakeABoundedPageThatMissesNothing() {
    LabelledCounter labelledCounter = new LabelledCounter("class", "age");
    for (int i = 0; i < CLASSES; i++) {
      labelledCounter.add(1, "class-" + i, "1m");
      labelledCounter.add(0, "class-" + i, "1h");
    }

    LabelledCounter.Table table = labelledCounter.table();

    assertThat(table.counts()).hasSize(2 * (LabelledCounter.MAX + 1));
    assertThat(sum(table)).isEqualTo(CLASSES);
    assertThat(table.counts())
        .containsEntry(ImmutableList.of("other", "1m"), (long) CLASSES - LabelledCounter.MAX)
        .containsEntry(ImmutableList.of("other", "1h"), 0L);
  }

  @Test
  void theGreatestKeepTheirNamesAndOfEqualOnesTheFirstByName() {
    LabelledCounter labelledCounter = new LabelledCounter("class");
    for (int i = 0; i < 100; i++) {
      labelledCounter.add(1, "class-%03d".formatted(i));
    }
    labelledCounter.add(5, "popular");

    assertThat(labelledCounter.table().counts())
        .containsEntry(ImmutableList.of("popular"), 5L)
        .containsKey(ImmutableList.of("class-030"))
        .doesNotContainKey(ImmutableList.of("class-031"))
        .containsEntry(ImmutableList.of("other"), 69L);
  }

  @Test
  void asManyAsThereIsRoomForKeepTheirNames() {
    LabelledCounter labelledCounter = new LabelledCounter("class");
    for (int i = 0; i < LabelledCounter.MAX; i++) {
      labelledCounter.add(1, "class-" + i);
    }

    assertThat(labelledCounter.table().counts())
        .hasSize(LabelledCounter.MAX)
        .doesNotContainKey(other());
  }

  private static ImmutableList<String> other() {
    return ImmutableList.of(LabelledCounter.OTHER);
  }

  @Test
  void theNameOfTheRestMayBeTakenAlready() {
    LabelledCounter labelledCounter = new LabelledCounter("class");
    labelledCounter.add(1_000, LabelledCounter.OTHER);
    for (int i = 0; i < 100; i++) {
      labelledCounter.add(1, "class-" + i);
    }

    assertThat(labelledCounter.table().counts())
        .containsEntry(other(), 1_000L + 100 - LabelledCounter.MAX + 1);
  }

  @Test
  void everyLabelHasAValue() {
    assertThatThrownBy(() -> new LabelledCounter("class", "age").add(1, "a"))
        .hasMessage("1 values for labels [class, age]");
  }
}
