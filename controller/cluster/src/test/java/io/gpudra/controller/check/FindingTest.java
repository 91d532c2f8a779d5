package io.gpudra.controller.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.reason.UnsuitableReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

final class FindingTest {

  /** A claim without its class is not a finding: its class may be another driver's. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.MATCH_ANY,
      names = {".*PARAMETERS.*", "CLASS_LIMIT", "NAMESPACE_NOT_ALLOWED", "ATTRIBUTE_FORBIDDEN"})
  void refusedParametersAreAFindingOfThatReason(UnsuitableReason.Kind reason) {
    assertThat(Kind.of(reason).label()).isEqualTo(reason.event().orElseThrow());
  }

  @Test
  void aRemedyIsASentence() {
    assertThat(Kind.PARAMETERS_NOT_FOUND.remedy())
        .isEqualTo("Create the object, or correct the reference.");
  }
}
