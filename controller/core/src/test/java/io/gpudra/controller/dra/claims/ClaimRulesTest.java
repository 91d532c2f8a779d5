package io.gpudra.controller.dra.claims;

import static io.gpudra.controller.dra.claims.ClaimAction.ALLOCATE_NOW;
import static io.gpudra.controller.dra.claims.ClaimAction.AWAIT;
import static io.gpudra.controller.dra.claims.ClaimAction.FREE_OURS;
import static io.gpudra.controller.dra.claims.ClaimAction.NOTHING;
import static io.gpudra.controller.dra.claims.ClaimAction.RELEASE;
import static io.gpudra.controller.dra.claims.ClaimAction.UNGUARD;
import static io.gpudra.controller.dra.facts.ClassState.ABSENT;
import static io.gpudra.controller.dra.facts.ClassState.OTHER;
import static io.gpudra.controller.dra.facts.ClassState.OURS;
import static io.gpudra.controller.dra.facts.ClassState.STRUCTURED;
import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.testing.Some;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The claim table of architecture.md 8, a row and more for each of its lines; rows begin with the
 * line.
 */
final class ClaimRulesTest {
  /**
   * Letters after a dash: M parameters missing, O owned by a running pass, W wanted by a context, S
   * surplus.
   */
  private record Row(
      String line, Some claim, ClassState resourceClass, String flags, ClaimAction expected) {
    @Override
    public String toString() {
      return line + " → " + expected;
    }
  }

  private static Row row(String line, Some claim, ClaimAction expected) {
    return new Row(line, claim, OURS, "", expected);
  }

  static Stream<Row> table() {
    return Stream.of(
        row("1 built-in finalizer", claim("c").structured().deleting().guarded(true), NOTHING),
        row("1 built-in finalizer, Immediate", claim("c").structured().immediate(), NOTHING),
        row("2 in use", ours().reservedFor("p"), NOTHING),
        row("2 in use, deleting (R and D)", ours().reservedFor("p").deleting(), NOTHING),
        row("2 in use, requested", ours().reservedFor("p").requested(true), NOTHING),
        row("3 deleting, ours", ours().deleting(), RELEASE),
        row("3 requested, ours", ours().requested(true), RELEASE),
        row("3 requested and deleting, ours", ours().requested(true).deleting(), RELEASE),
        row("3 requested, ours, not F", ours().guarded(false).requested(true), RELEASE),
        row("3 Immediate, requested", ours().immediate().requested(true), RELEASE),
        new Row("3 class is gone", ours().deleting(), ABSENT, "", RELEASE),
        new Row("3 class is another's", ours().deleting(), OTHER, "", RELEASE),
        row("4 F and another's allocation (H2)", other().guarded(true).deleting(), FREE_OURS),
        row("4 F and another's, requested", other().guarded(true).requested(true), FREE_OURS),
        row("5 deleting, F", claim("c").guarded(true).deleting(), UNGUARD),
        new Row("5 deleting, F, wanted", claim("c").guarded(true).deleting(), OURS, "W", UNGUARD),
        row("5 requested, F", claim("c").guarded(true).requested(true), UNGUARD),
        row("6 deleting, nothing of ours", claim("c").deleting(), NOTHING),
        row("6 requested, another's", other().requested(true), NOTHING),
        row("6 (Q and not F)", claim("c").requested(true), NOTHING),
        row("7 allocated", ours(), NOTHING),
        row("7 allocated, Immediate", ours().immediate(), NOTHING),
        row("7 allocated by another", other().guarded(true), NOTHING),
        row("8 Immediate", claim("c").immediate(), ALLOCATE_NOW),
        row("8 Immediate with F", claim("c").immediate().guarded(true), ALLOCATE_NOW),
        new Row("9 class absent", claim("c").immediate(), ABSENT, "", AWAIT),
        new Row("9 class absent, F", claim("c").immediate().guarded(true), ABSENT, "", AWAIT),
        new Row("9 parameters missing", claim("c").immediate(), OURS, "M", AWAIT),
        row("10 forgotten F", claim("c").guarded(true), UNGUARD),
        new Row("10 class now another's (F27)", immediateGuarded(), OTHER, "", UNGUARD),
        new Row("10 class now structured (H1)", immediateGuarded(), STRUCTURED, "", UNGUARD),
        new Row("11 F, wanted", claim("c").guarded(true), OURS, "W", NOTHING),
        new Row("11 F, owned", claim("c").guarded(true), OURS, "O", NOTHING),
        row("11 delayed", claim("c"), NOTHING),
        new Row("11 Immediate of another", claim("c").immediate(), OTHER, "", NOTHING),
        new Row("11 Immediate, structured class", claim("c").immediate(), STRUCTURED, "", NOTHING));
  }

  static Stream<Row> twoGrantsOfOneDevice() {
    return Stream.of(
        new Row("2 in use", ours().reservedFor("p"), OURS, "S", NOTHING),
        new Row("7 not in use", ours(), OURS, "S", RELEASE),
        new Row("7 not in use, Immediate", ours().immediate(), OURS, "S", RELEASE),
        new Row("7 by another driver now", other().guarded(true), OURS, "S", NOTHING));
  }

  @ParameterizedTest
  @MethodSource({"table", "twoGrantsOfOneDevice"})
  void theFirstLineThatMatchesDecides(Row row) {
    ClaimSituation situation =
        new ClaimSituation(
            row.claim().facts(),
            row.resourceClass(),
            row.flags().contains("M"),
            row.flags().contains("O"),
            row.flags().contains("W"),
            row.flags().contains("S"));
    assertThat(ClaimRules.decide(situation)).isEqualTo(row.expected());
  }

  @Test
  void everyLineOfTheTableHasARow() {
    assertThat(table().map(row -> row.line().split(" ", -1)[0]))
        .contains("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
  }

  private static Some ours() {
    return claim("c").guarded(true).byUs("data", "worker");
  }

  private static Some other() {
    return claim("c").byOther();
  }

  private static Some immediateGuarded() {
    return claim("c").immediate().guarded(true);
  }
}
