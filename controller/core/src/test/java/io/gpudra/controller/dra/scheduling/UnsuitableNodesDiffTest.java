package io.gpudra.controller.dra.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a patch means to the scheduler, which considers s, w, x, y and z. */
final class UnsuitableNodesDiffTest {
  private static final String ENTRY = "gpu";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # selected | refused so far | refused now | news
          s          | s x            | s x         | NONE
          -          | x y            | x           | GOOD
          s          | s x            | x           | GOOD
          s          | s              | x           | BAD_NOW
          -          | -              | x           | BAD_NOW
          -          | s              | s x         | BAD_NOW
          s          | x              | s x         | BAD_NOW
          s          | s              | s w         | BAD_FOR_LATER
          s          | s w            | s w x       | BAD_FOR_LATER
          s          | s              | s w x       | BAD_FOR_NEXT
          s          | s w x          | s w y       | BAD_FOR_NEXT
          """)
  void isAsGoodOrBadAsItMattersToTheNextSelection(
      String selected, String before, String now, UnsuitableNodesDiff unsuitableNodesDiff) {
    ContextFacts context =
        context(Optional.ofNullable(selected), ImmutableMap.of(ENTRY, nodes(before)));

    assertThat(UnsuitableNodesDiff.of(context, patch(context, now))).isEqualTo(unsuitableNodesDiff);
  }

  @Test
  void aFirstEntryIsNotOnlyGoodNews() {
    ContextFacts nothing = context(Optional.empty(), ImmutableMap.of());
    Optional<StatusPatch> patch =
        SchedulingRules.patch(nothing, ImmutableMap.of(ENTRY, ImmutableSet.of()), true);

    assertThat(UnsuitableNodesDiff.of(nothing, patch)).isEqualTo(UnsuitableNodesDiff.BAD_NOW);
  }

  @Test
  void raisedAreTheNodesThatAnEntryRefusesNoMore() {
    ContextFacts context =
        context(Optional.empty(), ImmutableMap.of(ENTRY, ImmutableSet.of("x", "y")));

    assertThat(UnsuitableNodesDiff.raised(context, patch(context, "y z").orElseThrow()))
        .containsExactly("x");
  }

  private static Optional<StatusPatch> patch(ContextFacts context, String refused) {
    return SchedulingRules.patch(context, ImmutableMap.of(ENTRY, nodes(refused)), true);
  }

  private static ContextFacts context(
      Optional<String> selected, ImmutableMap<String, ImmutableSet<String>> unsuitable) {
    ImmutableSet<String> potential = ImmutableSet.of("s", "w", "x", "y", "z");
    return new ContextFacts(
        World.podRef("pod"), "uid", "1", Some.EPOCH, false, selected, potential, unsuitable);
  }

  private static ImmutableSet<String> nodes(String names) {
    return names == null ? ImmutableSet.of() : ImmutableSet.copyOf(Splitter.on(' ').split(names));
  }
}
