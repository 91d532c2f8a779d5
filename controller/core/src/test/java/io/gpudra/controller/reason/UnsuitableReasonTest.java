package io.gpudra.controller.reason;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.reason.UnsuitableReason.Distance;
import io.gpudra.controller.reason.UnsuitableReason.Doubt;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.controller.reason.UnsuitableReason.Scope;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class UnsuitableReasonTest {

  @ParameterizedTest
  @EnumSource
  void aKindSaysWhatItIs(Kind kind) {
    assertThat(kind.label()).matches("[a-z]+([A-Z][a-z]+)*");
    assertThat(kind.phrase()).isNotBlank().doesNotContainPattern("\\d|%");
    assertThat(kind.remedy()).isNotBlank();
    assertThat(kind.event().orElse("None")).matches("([A-Z][a-z]+)+");
  }

  @Test
  void onlyHardwareThatTheNodeNeverHasIsLasting() {
    assertThat(kinds(Kind::lasting))
        .containsExactlyInAnyOrder(
            Kind.NONE_MATCH, Kind.TOO_FEW_MATCH, Kind.NEVER_ROOM, Kind.NEVER_CONNECTED);
  }

  @Test
  void noDecisionWasReachedWithoutASearchOrAnEvaluation() {
    assertThat(kinds(kind -> kind.doubt() == Doubt.UNDECIDED))
        .containsExactlyInAnyOrder(Kind.TOO_MANY_COMBINATIONS, Kind.NOT_JUDGED);
  }

  @Test
  void onlyClaimsThatThePodMayHaveOtherwiseDoubtThePod() {
    assertThat(kinds(kind -> kind.doubt() == Doubt.OLD_POD))
        .containsExactlyInAnyOrder(Kind.NOT_YET, Kind.MISSING, Kind.NOT_OWNED);
  }

  @Test
  void whatConcernsAClaimHasAnEvent() {
    assertThat(kinds(kind -> kind.scope() != Scope.NODE && kind.event().isEmpty()))
        .containsExactlyInAnyOrder(
            Kind.NOT_YET,
            Kind.MISSING,
            Kind.NOT_OWNED,
            Kind.ENDING,
            Kind.NOT_SELECTED,
            Kind.TIED_ELSEWHERE);
    assertThat(kinds(kind -> kind.scope() == Scope.NODE && kind.event().isPresent()))
        .containsExactlyInAnyOrder(Kind.NOT_CONNECTED, Kind.NEVER_CONNECTED);
  }

  @Test
  void aReasonIsAsFarAsItsKindUnlessItCounts() {
    assertThat(StatedReason.of(Kind.HELD, "held").shortfall())
        .isLessThan(StatedReason.of(Kind.NONE_MATCH, "none").shortfall());
    assertThat(StatedReason.of(Kind.NONE_MATCH, "none").shortfall())
        .isLessThan(StatedReason.of(Kind.NODE_CORDONED, "cordoned").shortfall());
    assertThat(Stream.of(Distance.values()).map(Distance::shortfall)).isSorted();
  }

  @Test
  void aTextIsMadeWhenItIsRead() {
    UnsuitableReason reason =
        StatedReason.of(Kind.NODE_TAINTED, "node tainted %s", Set.of("disk-pressure"));

    assertThat(reason.text(NamespaceAudience.READER_OF_ALL))
        .isEqualTo("node tainted disk-pressure");
  }

  private static Set<Kind> kinds(Predicate<Kind> those) {
    return Arrays.stream(Kind.values()).filter(those).collect(Collectors.toSet());
  }
}
