package io.gpudra.bench.figure;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.bench.figure.Change.Aim;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ChangeTest {

  @Test
  void aFigureMayBecomeWorseByItsSpreadOfEither() {
    assertThat(less(sample(98, 100, 102), sample(104, 104, 104)).held()).isTrue();
    assertThat(less(sample(100, 100, 100), sample(102, 104, 106)).held()).isTrue();
    assertThat(less(sample(98, 100, 102), sample(105, 105, 105)).held()).isFalse();
  }

  @Test
  void aLargeSpreadExcusesTenPercentAtMost() {
    assertThat(less(sample(50, 100, 150), sample(50, 110, 150)).held()).isTrue();
    assertThat(less(sample(50, 100, 150), sample(50, 111, 150)).held()).isFalse();
  }

  @Test
  void aFigureMayBecomeBetterByAnything() {
    assertThat(less(sample(100), sample(50)).held()).isTrue();
    assertThat(change(Aim.MORE, sample(50), sample(100)).held()).isTrue();
    assertThat(change(Aim.MORE, sample(100), sample(50)).held()).isFalse();
    assertThat(change(Aim.NONE, sample(100), sample(200)).held()).isTrue();
  }

  @Test
  void whatIsZeroBeforeAndAfterHasNotChanged() {
    Change nothing = less(sample(0, 0), sample(0, 0));

    assertThat(nothing.difference()).isZero();
    assertThat(nothing.spread()).isZero();
    assertThat(nothing.held()).isTrue();
    assertThat(less(sample(0), sample(1)).held()).isFalse();
  }

  @Test
  void theTableHasMediansWithTheirRangesAndTheDifference() {
    Change slower = new Change("time", "ms", Aim.LESS, sample(3, 1, 2), sample(2.25, 2.25, 2.25));
    Change shown = new Change("count", "", Aim.NONE, sample(200), sample(100));

    assertThat(Change.table("figure", List.of(slower, shown)))
        .isEqualTo(
            """
            | figure | before | after | difference | spread | held |
            |---|---:|---:|---:|---:|---|
            | time, ms | 2.00 (1.00 to 3.00) | 2.25 (2.25 to 2.25) | +12.5 % | 100.0 % | **no** |
            | count | 200 (200 to 200) | 100 (100 to 100) | -50.0 % | 0.0 % |  |
            """);
  }

  private static Change less(Sample before, Sample after) {
    return change(Aim.LESS, before, after);
  }

  private static Change change(Aim aim, Sample before, Sample after) {
    return new Change("some", "", aim, before, after);
  }

  private static Sample sample(double... values) {
    Sample sample = new Sample();
    DoubleStream.of(values).forEach(sample::add);
    return sample;
  }
}
