package io.gpudra.controller.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.metrics.GpuSeconds.Use;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GpuSecondsTest {
  private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");
  private static final ImmutableList<String> TRAIN = ImmutableList.of("team-a", "gpu", "A100");

  /** Near the end of its range, as a monotonic clock may be. */
  private long nanos = Long.MAX_VALUE - Duration.ofHours(1).toNanos();

  private Instant wall = START;
  private final InstantSource clock = () -> wall;
  private final List<Use> held = new ArrayList<>();
  private final GpuSeconds leader = process();

  private GpuSeconds process() {
    return new GpuSeconds(clock.withZone(ZoneOffset.UTC), () -> nanos);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    wall = wall.plus(time);
  }

  private void pass(int seconds) {
    pass(Duration.ofSeconds(seconds));
  }

  private Use use(long thousandths) {
    return new Use("worker-1", ImmutableList.of("team-a", "gpu", "A100"), wall, thousandths);
  }

  /** Has shown for long enough that there is something to count. */
  private void standby(GpuSeconds process) {
    process.update(() -> ImmutableList.of(use(1_000)));
    pass(GpuSeconds.SHOWN_AS_ZERO);
    process.update(() -> held);
  }

  private void renew(GpuSeconds process) {
    process.update(() -> held);
    process.wordStored(process.word());
  }

  private static double shown(GpuSeconds process) {
    return process.shown().totals().getOrDefault(TRAIN, -1.0);
  }

  /** What happens: a time to pass in seconds, or a verb and a number. */
  private void happens(String step) {
    List<String> words = Splitter.on(' ').splitToList(step);
    switch (words.get(0)) {
      case "grant" -> held.add(use(Long.parseLong(words.get(1))));
      case "release" -> leader.released(List.of(held.remove(0)));
      case "look" -> leader.update(() -> held);
      case "renew" -> renew(leader);
      case "clock" -> wall = wall.plusSeconds(Long.parseLong(words.get(1)));
      default -> pass(Duration.parse("PT" + words.get(0) + "S"));
    }
  }

  static Stream<Arguments> terms() {
    return Stream.of(
        arguments("nothing is granted", "9, renew", 0.0),
        arguments("a grant counts while it lasts", "grant 1000, 2, renew", 2.0),
        arguments("from when it was made", "renew, 1.5, grant 1000, 0.5, renew", 0.5),
        arguments("once, however often one looks", "grant 1000, 2, renew, look, renew", 2.0),
        arguments("on and on", "grant 1000, 2, renew, 2, renew, 3.25, renew", 7.25),
        arguments("a part counts its part", "grant 125, 8, renew", 1.0),
        arguments("several are added up", "grant 1000, 2, grant 500, 2, renew", 5.0),
        arguments("to its release", "grant 1000, 2, renew, 1, release, 7, renew", 3.0),
        arguments("one that no look sees", "renew, 1, grant 1000, 0.25, release, renew", 0.25),
        arguments("one stays", "grant 500, grant 1000, 2, release, 2, renew", 5.0),
        arguments("shown once the lease has it", "grant 1000, 2, renew, 2, look", 2.0),
        arguments("a clock put back", "grant 1000, 2, renew, clock -3600, 2, renew", 4.0),
        arguments("a clock put forward", "grant 1000, 2, renew, clock 3600, 2, renew", 4.0),
        arguments("granted in the future", "grant 1000, clock -3600, 2, renew", 2.0));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("terms")
  void gpuTimeIsCountedFromGrantToRelease(String what, String steps, double seconds) {
    standby(leader);
    leader.begin("");
    Splitter.on(", ").split(steps).forEach(this::happens);

    assertThat(shown(leader)).as(what).isCloseTo(seconds, within(1e-9));
  }

  static Stream<Arguments> words() {
    return Stream.of(
        arguments("the last leader's", START.minusSeconds(17).toString(), 17.0),
        arguments("of a leader long ago", START.minusSeconds(3_600).toString(), 3_600.0),
        arguments("of longer ago than a day", START.minus(Duration.ofDays(9)).toString(), 86_400.0),
        arguments("of the beginning of time", Instant.MIN.toString(), 86_400.0),
        arguments("none", "", 0.0),
        arguments("of the future", START.plusSeconds(1).toString(), 0.0),
        arguments("of the end of time", Instant.MAX.toString(), 0.0),
        arguments("no time", "yesterday", 0.0),
        arguments("a long one", "2026-11-21T07:00:00." + "0".repeat(100_000) + "Z", 0.0));
  }

  /** The grant is of ten days before. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("words")
  void aNewLeaderCountsFromTheLastWordAsFarAsThatCanBe(String what, String word, double seconds) {
    wall = START.minus(Duration.ofDays(10));
    held.add(use(1_000));
    wall = START.minus(GpuSeconds.SHOWN_AS_ZERO);
    standby(leader);
    leader.begin(word);
    renew(leader);

    assertThat(shown(leader)).as(what).isEqualTo(seconds);
  }

  @Test
  void aLeaderThatHasNotLookedYetHidesNothing() {
    standby(leader);
    Instant unused = leader.begin("");
    leader.wordStored(leader.word());

    assertThat(shown(leader)).isZero();
  }

  @Test
  void ofTwoLeadersNoneCountsWhatTheOtherHasShown() {
    GpuSeconds next = process();
    standby(leader);
    standby(next);
    leader.begin("");
    held.add(use(1_000));
    for (int i = 0; i < 5; i++) {
      pass(2);
      renew(leader);
    }
    pass(2);
    leader.update(() -> held);
    String lost = leader.word();
    pass(15);
    next.begin(wall.minusSeconds(17).toString());
    renew(next);
    pass(2);
    renew(next);

    assertThat(Instant.parse(lost)).isEqualTo(wall.minusSeconds(17));
    assertThat(shown(leader)).isEqualTo(10);
    assertThat(shown(next)).isEqualTo(19);
  }

  @Test
  void aClockThatWasPutBackDoesNotPutTheWordBack() {
    leader.begin("");
    leader.update(() -> held);
    wall = wall.minusSeconds(3_600);
    pass(2);
    leader.update(() -> held);

    assertThat(leader.word()).isEqualTo(START.plusSeconds(2).toString());
  }

  @Test
  void aWordThatTheLeaseDoesNotHaveShowsNothing() {
    standby(leader);
    leader.begin("");
    held.add(use(1_000));
    pass(2);
    leader.update(() -> held);
    String word = leader.word();
    leader.wordStored("another");
    assertThat(shown(leader)).isZero();

    pass(2);
    leader.update(() -> held);
    leader.wordStored(word);
    assertThat(shown(leader)).isEqualTo(2);
  }

  @Test
  void aStandbyShowsWhatThereIsAndCountsNothing() {
    held.add(use(1_000));
    standby(leader);
    leader.released(held);

    assertThat(shown(leader)).isZero();
    assertThat(leader.word()).isEmpty();
  }

  @Test
  void aSeriesIsShownAsZeroForAMinuteSoThatItsStartIsSeen() {
    leader.begin("");
    held.add(use(1_000));
    renew(leader);
    pass(59);
    renew(leader);
    assertThat(shown(leader)).isZero();

    pass(1);
    renew(leader);
    assertThat(shown(leader)).isEqualTo(60);
  }

  @Test
  void whatIsMoreThanAThousandSeriesIsCountedTogether() {
    leader.begin("");
    IntStream.range(0, GpuSeconds.MAX + 2)
        .mapToObj(
            i -> new Use("worker-1", ImmutableList.of("team-" + i, "gpu", "A100"), wall, 1_000))
        .forEach(held::add);
    renew(leader);
    pass(60);
    renew(leader);

    assertThat(leader.shown().totals())
        .hasSize(GpuSeconds.MAX + 1)
        .containsEntry(ImmutableList.of("team-999", "gpu", "A100"), 60.0)
        .containsEntry(ImmutableList.of("other", "other", "other"), 120.0);
  }

  @Test
  void nodesThatNameTheirGpusAnewEachTimeTakeNobodysSeries() {
    leader.begin("");
    for (int i = 0; i < 10_000; i++) {
      Use renamed =
          new Use("worker-" + i, ImmutableList.of("team-a", "gpu", "model-" + i), wall, 1_000);
      leader.update(() -> ImmutableList.of(renamed));
    }
    held.add(new Use("worker-0", ImmutableList.of("team-b", "gpu", "model-0"), wall, 1_000));
    renew(leader);

    assertThat(leader.shown().totals())
        .hasSize(GpuSeconds.MAX_MODELS + 2)
        .containsKey(ImmutableList.of("team-a", "gpu", "other"))
        .containsKey(ImmutableList.of("team-b", "gpu", "model-0"));
  }

  @Test
  void oneNodeLeavesTheNamesOfModelsToTheOthers() {
    leader.begin("");
    for (int i = 0; i < GpuSeconds.MAX_MODELS; i++) {
      held.add(new Use("worker-1", ImmutableList.of("team-a", "gpu", "model-" + i), wall, 1_000));
    }
    held.add(new Use("worker-2", ImmutableList.of("team-b", "gpu", "A100"), wall, 1_000));
    held.add(new Use("worker-1", ImmutableList.of("team-b", "gpu", "A100"), wall, 1_000));
    renew(leader);

    assertThat(leader.shown().totals())
        .hasSize(GpuSeconds.MAX_MODELS_OF_A_NODE + 2)
        .containsKey(ImmutableList.of("team-a", "gpu", "model-3"))
        .containsKey(ImmutableList.of("team-a", "gpu", "other"))
        .containsKey(ImmutableList.of("team-b", "gpu", "A100"));
  }
}
