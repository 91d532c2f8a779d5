package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LabelValuesTest {

  @Test
  void theFirstThirtyTwoKeepTheirNamesForGood() {
    LabelValues values = new LabelValues();
    List<String> first = IntStream.range(0, 32).mapToObj(i -> "team-" + i).toList();

    assertThat(first.stream().map(values::of)).isEqualTo(first);
    assertThat(values.of("late")).isEqualTo("other");
    assertThat(first.stream().map(values::of)).isEqualTo(first);
    assertThat(values.of("late")).isEqualTo("other");
  }
}
