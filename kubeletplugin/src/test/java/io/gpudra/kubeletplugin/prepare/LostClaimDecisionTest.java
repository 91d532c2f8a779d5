package io.gpudra.kubeletplugin.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Pods;
import io.gpudra.kubeletplugin.pods.NodePods.PodSet;
import io.gpudra.kubeletplugin.prepare.ClaimState.Holding;
import io.gpudra.kubeletplugin.prepare.LostClaim.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

class LostClaimDecisionTest {

  private static final Instant NOW = Instant.parse("2026-11-27T20:00:00Z");
  private static final Grant GRANT = GrantFixture.grant(new ClaimUid("u1"), "n");

  /** {@code user} was read in reservedFor, {@code proxy} had a sandbox before; - is not known. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // remembered | users known | minutes gone | watched | present | idle | next
        "true  | true  | 5 | none   | proxy        | true  | TakeBack",
        "true  | true  | 5 | none   | none         | true  | TakeBack",
        "true  | true  | 5 | -      | none         | true  | Fence",
        "true  | true  | 5 | -      | user         | true  | Fence",
        "true  | true  | 5 | -      | -            | true  | Wait",
        "true  | true  | 5 | none   | -            | true  | Wait",
        "true  | true  | 1 | -      | none         | true  | Fence",
        "true  | true  | 1 | -      | -            | true  | Wait",
        "true  | true  | 0 | -      | none         | true  | Wait",
        "true  | true  | 4 | none   | none         | true  | Wait",
        "true  | true  | - | -      | none         | true  | Wait",
        "true  | true  | - | none   | none         | true  | Open",
        "true  | true  | 5 | none   | user         | true  | Wait",
        "true  | true  | 5 | joined | joined,proxy | true  | Wait",
        "true  | true  | 5 | joined | later        | true  | TakeBack",
        "true  | true  | 5 | none   | none         | false | Wait",
        "true  | false | 5 | none   | none         | true  | Wait",
        "false | true  | 5 | none   | none         | true  | Wait",
      })
  void isTakenBackOnlyWhenNobodyCanHaveIt(ArgumentsAccessor row) {
    Pods pods = new Pods(ImmutableSet.of("user"), ImmutableSet.of("proxy"));
    Holding held =
        new Holding(
            new ClaimRef("team-a", "train"),
            GRANT,
            ImmutableMap.of(),
            Optional.of(pods).filter(known -> row.getBoolean(1)));
    LostClaim lost =
        new LostClaim(
            held,
            row.getBoolean(0),
            Optional.of(row.getString(2))
                .filter(LostClaimDecisionTest::known)
                .map(minutes -> NOW.minus(Duration.ofMinutes(Long.parseLong(minutes)))),
            uids(row.getString(3)));

    NextStep decided =
        lost.next(
            NOW,
            () -> uids(row.getString(4)).map(uids -> new PodSet(uids, ImmutableSet.of())),
            () -> row.getBoolean(5));

    assertThat(decided.getClass().getSimpleName()).isEqualTo(row.getString(6));
  }

  private static boolean known(String cell) {
    return !cell.equals("-");
  }

  private static Optional<ImmutableSet<String>> uids(String cell) {
    return Optional.of(cell)
        .filter(LostClaimDecisionTest::known)
        .map(
            list ->
                list.equals("none")
                    ? ImmutableSet.of()
                    : ImmutableSet.copyOf(Splitter.on(',').split(list)));
  }
}
