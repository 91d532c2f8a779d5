package io.gpudra.crds.api.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuAmountTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "2, 2000, 2",
    "2.5, 2500, 2500m",
    "0.125, 125, 125m",
    "500m, 500, 500m",
    "3000m, 3000, 3",
    "007, 7000, 7",
    "9223372036854775807, 9223372036854775807, 9223372036854775807m",
  })
  void anAmountIsCountedInThousandths(String text, long thousandths, String shortest) {
    GpuAmount amount = GpuAmount.parse(text).orElseThrow();

    assertThat(amount.thousandths()).isEqualTo(thousandths);
    assertThat(amount.text()).isEqualTo(shortest);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "+1",
        "1.",
        ".5",
        "1.2345",
        "1.5m",
        "1k",
        "1e3",
        " 1",
        "1\n",
        "two",
        "11111111111111111111"
      })
  void anythingElseIsNone(String text) {
    assertThat(GpuAmount.parse(text)).isEmpty();
  }

  @Property
  void theTextOfAnAmountIsReadAsThatAmount(
      @ForAll @LongRange(min = 0, max = 1_000_000_000_000L) long thousandths) {
    GpuAmount amount = new GpuAmount(thousandths);

    assertThat(GpuAmount.parse(amount.text())).isEqualTo(Optional.of(amount));
  }
}
