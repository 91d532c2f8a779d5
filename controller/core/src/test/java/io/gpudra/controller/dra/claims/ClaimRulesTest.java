package io.gpudra.controller.dra.claims;

import static io.gpudra.controller.dra.claims.ClaimAction.ALLOCATE_NOW;
import static io.gpudra.controller.dra.claims.ClaimAction.AWAIT;
import static io.gpudra.controller.dra.claims.ClaimAction.DEALLOCATE;
import static io.gpudra.controller.dra.claims.ClaimAction.LEAVE_TO_OTHER_DRIVER;
import static io.gpudra.controller.dra.claims.ClaimAction.NOTHING;
import static io.gpudra.controller.dra.claims.ClaimAction.REMOVE_FINALIZER;
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
 * line. F is our finalizer.
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
        row("1 built-in finalizer", builtin().deleting().withFinalizer(true), NOTHING),
        row("1 built-in finalizer, Immediate", builtin().immediate(), NOTHING),
        row("2 in use", ours().reservedFor("p"), NOTHING),
        row("2 in use, deleting (R and D)", ours().reservedFor("p").deleting(), NOTHING),
        row("2 in use, requested", ours().reservedFor("p").requested(true), NOTHING),
        row("3 deleting, ours", ours().deleting(), DEALLOCATE),
        row("3 requested, ours", ours().requested(true), DEALLOCATE),
        row("3 requested and deleting, ours", ours().requested(true).deleting(), DEALLOCATE),
        row("3 requested, ours, not F", ours().withFinalizer(false).requested(true), DEALLOCATE),
        row("3 Immediate, requested", ours().immediate().requested(true), DEALLOCATE),
        new Row("3 class is gone", ours().deleting(), ABSENT, "", DEALLOCATE),
        new Row("3 class is another's", ours().deleting(), OTHER, "", DEALLOCATE),
        row("4 F and another's allocation (H2)", otherWithF().deleting(), LEAVE_TO_OTHER_DRIVER),
        row("4 F and another's, requested", otherWithF().requested(true), LEAVE_TO_OTHER_DRIVER),
        row("5 deleting, F", withF().deleting(), REMOVE_FINALIZER),
        new Row("5 deleting, F, wanted", withF().deleting(), OURS, "W", REMOVE_FINALIZER),
        row("5 requested, F", withF().requested(true), REMOVE_FINALIZER),
        row("6 deleting, nothing of ours", claim("c").deleting(), NOTHING),
        row("6 requested, another's", other().requested(true), NOTHING),
        row("6 (Q and not F)", claim("c").requested(true), NOTHING),
        row("7 allocated", ours(), NOTHING),
        row("7 allocated, Immediate", ours().immediate(), NOTHING),
        row("7 allocated by another", otherWithF(), NOTHING),
        row("8 Immediate", claim("c").immediate(), ALLOCATE_NOW),
        row("8 Immediate with F", immediateWithF(), ALLOCATE_NOW),
        new Row("9 class absent", claim("c").immediate(), ABSENT, "", AWAIT),
        new Row("9 class absent, F", immediateWithF(), ABSENT, "", AWAIT),
        new Row("9 parameters missing", claim("c").immediate(), OURS, "M", AWAIT),
        row("10 forgotten F", withF(), REMOVE_FINALIZER),
        new Row("10 class now another's (F27)", immediateWithF(), OTHER, "", REMOVE_FINALIZER),
        new Row("10 class now structured (H1)", immediateWithF(), STRUCTURED, "", REMOVE_FINALIZER),
        new Row("11 F, wanted", withF(), OURS, "W", NOTHING),
        new Row("11 F, owned", withF(), OURS, "O", NOTHING),
        row("11 delayed", claim("c"), NOTHING),
        new Row("11 Immediate of another", claim("c").immediate(), OTHER, "", NOTHING),
        new Row("11 Immediate, structured class", claim("c").immediate(), STRUCTURED, "", NOTHING));
  }

  static Stream<Row> twoGrantsOfOneDevice() {
    return Stream.of(
        new Row("2 in use", ours().reservedFor("p"), OURS, "S", NOTHING),
        new Row("7 not in use", ours(), OURS, "S", DEALLOCATE),
        new Row("7 not in use, Immediate", ours().immediate(), OURS, "S", DEALLOCATE),
        new Row("7 by another driver now", otherWithF(), OURS, "S", NOTHING));
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

  private static Some builtin() {
    return claim("c").withBuiltinFinalizer();
  }

  private static Some withF() {
    return claim("c").withFinalizer(true);
  }

  private static Some immediateWithF() {
    return withF().immediate();
  }

  private static Some ours() {
    return withF().byUs("data", "worker");
  }

  private static Some other() {
    return claim("c").byOther();
  }

  private static Some otherWithF() {
    return other().withFinalizer(true);
  }
}
