package io.gpudra.controller.gate;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.none;
import static io.gpudra.controller.gate.testing.SomePod.notYet;
import static io.gpudra.controller.gate.testing.SomePod.own;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.testing.SomePod;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of protocol.md 2.5, a row and more for each of its lines; rows begin with the line.
 * Claim {@code a} is of our class, and {@code ours} is allocated by us for the pod.
 */
final class GateRulesTest {
  private static final Some[] NO_CLAIMS = {};

  /** Expected is the action with what matters of it. */
  private record Row(
      String line, SomePod pod, boolean context, String expected, ImmutableList<Some> claims) {
    @Override
    public String toString() {
      return line + " → " + expected;
    }
  }

  private static Row row(String line, SomePod pod, String expected, Some... claims) {
    return new Row(line, pod, /* context= */ false, expected, ImmutableList.copyOf(claims));
  }

  private static Row withContext(String line, SomePod pod, String expected, Some... claims) {
    return new Row(line, pod, /* context= */ true, expected, ImmutableList.copyOf(claims));
  }

  static Stream<Row> endsAndReturns() {
    return Stream.of(
        row("1 deleting", pod("p", "a").deleting(), "Leave", claim("a")),
        row("1 finished", pod("p", "a").finished(), "Leave", claim("a")),
        row("1 deleting, refused with our grant", refused().deleting(), "Leave", ours("a")),
        row("2 refused with our grant", refused(), "GiveBack [a]", ours("a")),
        row("2 two claims", both().ungated().refused(), "GiveBack [a, b]", ours("a"), ours("b")),
        row("2 nominated elsewhere", refused().nominated("other"), "GiveBack [a]", ours("a")),
        row("4 nominated on the node", refused().nominated("worker"), "Leave", ours("a")),
        withContext("4 the ordinary path has it", refused(), "Leave", ours("a")),
        row("4 not refused", pod("p", "a").ungated(), "Leave", ours("a")),
        row("4 used by another pod, too", refused(), "Leave", ours("a").reservedFor("p-uid", "q")),
        row("4 used by another pod", refused(), "Leave", ours("a").reservedFor("q")),
        row("4 used by no pod", refused(), "Leave", ours("a").reservedFor()),
        row("4 Immediate", refused(), "Leave", ours("a").immediate()),
        row("4 given back already", refused(), "Leave", ours("a").requested(true)),
        row("4 one is not allocated", both().ungated().refused(), "Leave", ours("a"), claim("b")),
        row("4 one is another driver's", both().ungated().refused(), "Leave", ours("a"), other()),
        row("4 without claims", pod("p").ungated().refused(), "Leave", NO_CLAIMS),
        row("4 nothing granted", refused(), "Leave", claim("a")));
  }

  static Stream<Row> gatesThatGoAtOnce() {
    return Stream.of(
        row("5 another gate", pod("p", "a").heldByOthers(), "Leave", claim("a")),
        row("5 another gate, no claims", pod("p").heldByOthers(), "Leave", NO_CLAIMS),
        row("5 another gate, granted", pod("p", "a").heldByOthers(), "Leave", ours("a")),
        row("6 member of a group", pod("p", "a").inGroup("g"), "Leave", claim("a")),
        row("6 member without claims", pod("p").inGroup("g"), "Leave", NO_CLAIMS),
        row("8 no claims", pod("p"), "Lift NO_CLAIMS", NO_CLAIMS),
        row("8 an entry without a claim", pod("p").entries(none()), "Lift NO_CLAIMS", NO_CLAIMS),
        row("9 another driver's class", pod("p", "b"), "Lift OTHER_DRIVER", other()),
        row("9 beside ours", both(), "Lift OTHER_DRIVER", claim("a"), other()),
        row("9 structured", pod("p", "b"), "Lift OTHER_DRIVER", claim("b").ofClass("structured")),
        row("9 allocated by another", pod("p", "a"), "Lift OTHER_DRIVER", claim("a").byOther()),
        row("9 built-in", pod("p", "a"), "Lift OTHER_DRIVER", claim("a").withBuiltinFinalizer()),
        row("7 affinity", unjudged(LiftReason.POD_AFFINITY), "Lift POD_AFFINITY", claim("a")),
        row("7 unreadable", unjudged(LiftReason.UNREADABLE), "Lift UNREADABLE", claim("a")),
        row("7 no claims, unreadable", crowdOfNone(), "Lift UNREADABLE", NO_CLAIMS),
        row("7 beside another driver's", hostPorts(), "Lift HOST_PORTS", other()));
  }

  static Stream<Row> gatesThatWait() {
    return Stream.of(
        row("10 not made yet", pod("p").entries(notYet()), "Await", NO_CLAIMS),
        row("10 missing", pod("p", "a"), "Await", NO_CLAIMS),
        row("10 one of two", both(), "Await", claim("a")),
        row("10 one of two granted", both(), "Await", ours("a")),
        row("10 ending", pod("p", "a"), "Await", claim("a").deleting()),
        row("10 given back", pod("p", "a"), "Await", ours("a").requested(true)),
        row("10 another pod's", pod("p").entries(own("a")), "Await", claim("a").owner("q")),
        row("10 Immediate", pod("p", "a"), "Await", claim("a").immediate()),
        row("10 Immediate beside ours", both(), "Await", claim("a"), claim("b").immediate()),
        row("11 granted", pod("p", "a"), "Lift GRANTED", ours("a")),
        withContext("11 granted, with a context", pod("p", "a"), "Lift GRANTED", ours("a")),
        row("11 Immediate", pod("p", "a"), "Lift GRANTED", ours("a").immediate()),
        row("11 both", both(), "Lift GRANTED", ours("a"), ours("b")),
        row("11 beside an entry without a claim", mixed(), "Lift GRANTED", ours("a")),
        row("12 no class", pod("p", "a"), "Tell class not found", claim("a").ofClass("none")),
        row("12 parameters", pod("p", "wrong"), "Tell invalid parameters", claim("wrong")),
        row(
            "12 one granted",
            pod("p", "a", "wrong"),
            "Tell invalid parameters",
            ours("a"),
            wrong()),
        row("12 too many", crowd(), "Tell too many claims", claims()),
        row("13 one granted", both(), "GrantOn worker", ours("a"), claim("b")),
        row("13 Immediate", both(), "GrantOn worker", ours("a").immediate(), claim("b")),
        row("14 else", pod("p", "a"), "Grant", claim("a")),
        row("14 own", pod("p").entries(own("a")), "Grant", claim("a").owner("p-uid")),
        row("14 refused long ago", pod("p", "a").refused(), "Grant", claim("a")));
  }

  @ParameterizedTest
  @MethodSource({"endsAndReturns", "gatesThatGoAtOnce", "gatesThatWait"})
  void theFirstLineThatMatchesDecides(Row row) {
    assertThat(text(GateRules.decide(situation(row)))).isEqualTo(row.expected());
  }

  @Test
  void everyLineOfTheTableHasARow() {
    assertThat(
            Stream.of(endsAndReturns(), gatesThatGoAtOnce(), gatesThatWait())
                .flatMap(rows -> rows)
                .map(row -> row.line().split(" ", -1)[0]))
        .contains("1", "2", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14");
  }

  private static GateSituation<String> situation(Row row) {
    World world = World.of("worker", 8);
    world.cluster.addClass("structured", Some.DRIVER, /* structured= */ true);
    world.driver.parameters.put(
        "wrong", DriverParameters.refused(Kind.INVALID_PARAMETERS, ImmutableList.of("no")));
    row.claims().forEach(world::addClaim);
    if (row.context()) {
      world.addContext("p", Optional.empty());
    }
    return new GateFactsReader<>(world.parts.podClaims(), world.cluster)
        .situation(row.pod().facts());
  }

  private static String text(GateAction action) {
    String name = action.getClass().getSimpleName();
    if (action instanceof GateAction.GiveBack back) {
      return name + " " + back.claims().stream().map(claim -> claim.ref().name()).toList();
    }
    if (action instanceof GateAction.Lift lift) {
      return name + " " + lift.reason();
    }
    if (action instanceof GateAction.Tell tell) {
      return name + " " + tell.blockers().get(0).reason().kind().phrase();
    }
    return action instanceof GateAction.GrantOn there ? name + " " + there.node() : name;
  }

  private static Some ours(String name) {
    String slot = "worker#" + (name.charAt(0) - 'a');
    return claim(name).withFinalizer(true).byUs(slot, "worker").reservedFor("p-uid");
  }

  private static Some other() {
    return claim("b").ofClass("other-class");
  }

  private static Some wrong() {
    return claim("wrong");
  }

  private static Some[] claims() {
    return IntStream.range(0, 65).mapToObj(i -> claim("c" + i)).toArray(Some[]::new);
  }

  private static SomePod crowd() {
    return pod("p", IntStream.range(0, 65).mapToObj(i -> "c" + i).toArray(String[]::new));
  }

  private static SomePod refused() {
    return pod("p", "a").ungated().refused();
  }

  private static SomePod both() {
    return pod("p", "a", "b");
  }

  private static SomePod mixed() {
    return pod("p").entries(World.direct("a"), none());
  }

  private static SomePod crowdOfNone() {
    return pod("p").unjudged(LiftReason.UNREADABLE);
  }

  private static SomePod hostPorts() {
    return pod("p", "b").unjudged(LiftReason.HOST_PORTS);
  }

  private static SomePod unjudged(LiftReason reason) {
    return pod("p", "a").unjudged(reason);
  }
}
