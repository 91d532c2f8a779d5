package io.gpudra.crds.model;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemorySizeTest {

  private static final long MI = 1L << 20;
  private static final long GI = 1L << 30;

  @ParameterizedTest
  @CsvSource({
    "512Mi, 536870912, 536870912",
    "16Gi, 17179869184, 17179869184",
    "1.5Gi, 1610612736, 1610612736",
    "0.5Gi, 536870912, 536870912",
    "0.3Gi, 322122547, 322122547",
    "1Ti, 1099511627776, 1099511627776",
    "512M, 512000000, 536870912",
    "16G, 16000000000, 17179869184",
    "2T, 2000000000000, 2199023255552",
    "99999999999999Ti, 9223372036854775807, 9223372036854775807",
  })
  void aSizeHasAnExactAndANominalReading(String text, long exact, long nominal) {
    MemorySize size = MemorySize.parse(text).orElseThrow();

    assertThat(size.exactBytes()).isEqualTo(exact);
    assertThat(size.nominalBytes()).isEqualTo(nominal);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "16",
        "16GB",
        "16gi",
        "Gi",
        "0Gi",
        "0.0Gi",
        "-1Gi",
        "+1Gi",
        "01Gi",
        "1.Gi",
        ".5Gi",
        " 1Gi",
        "1Gi ",
        "1Gi\n",
        "1e3Gi",
        "16Ki",
        "16Pi",
        "١Gi",
        "99999999999999.9Gi"
      })
  void anythingElseIsNoSize(String text) {
    assertThat(MemorySize.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "15109, 16", // T4 with ECC
    "15360, 16",
    "40960, 40",
    "81559, 80", // H100-80GB
    "81920, 80",
    "97871, 96",
    "46068, 48",
    "24564, 24",
    "11264, 11",
    "27000, 27", // nothing usual within 10 %
    "1, 1",
    "300000, 293",
  })
  void anUnknownProductHasTheNextUsualSize(long reportedMi, long nominalGi) {
    assertThat(MemorySize.nominalOfReported(reportedMi * MI)).isEqualTo(nominalGi * GI);
  }

  @Property
  void nominalIsNeverBelowWhatIsReported(@ForAll @LongRange(max = Long.MAX_VALUE) long reported) {
    assertThat(MemorySize.nominalOfReported(reported)).isGreaterThanOrEqualTo(reported);
  }

  @Property
  void anyTextIsASizeOrNot(@ForAll("almostSizes") String text) {
    MemorySize.parse(text)
        .ifPresent(
            size -> assertThat(size.nominalBytes()).isGreaterThanOrEqualTo(size.exactBytes()));
  }

  @Provide
  Arbitrary<String> almostSizes() {
    return Arbitraries.strings().withChars("0123456789.MGTi").ofMaxLength(17);
  }

  @ParameterizedTest
  @CsvSource({
    "85899345920, 80Gi",
    "85520809984, 79.6Gi",
    "536870912, 512Mi",
    "0, 0Mi",
  })
  void sizesAreToldInGiOrMi(long bytes, String text) {
    assertThat(MemorySize.text(bytes)).isEqualTo(text);
  }
}
