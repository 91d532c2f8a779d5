package io.gpudra.bench.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SampleTest {

  @Test
  void quantilesAreMeasuredValues() {
    Sample sample = new Sample();
    IntStream.rangeClosed(1, 200).map(i -> 201 - i).forEach(sample::add);

    assertThat(sample.median()).isEqualTo(100);
    assertThat(sample.quantile(0.99)).isEqualTo(198);
    assertThat(sample.quantile(0)).isEqualTo(1);
    assertThat(sample.quantile(1)).isEqualTo(200);
  }

  @Test
  void nothingHasNoMedian() {
    assertThatThrownBy(new Sample()::median).isInstanceOf(IllegalStateException.class);
  }
}
