package io.gpudra.controller.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.eviction.EvictionRules.GpuUse;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.testing.Taints;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which pods must go, when. */
class EvictionRulesTest {
  private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");

  /** {@code key}, {@code key=value}, each with {@code /seconds} that it lasts. */
  private static DeviceTaint taint(String text) {
    String[] parts = text.split("/", -1);
    String[] named = parts[0].split("=", -1);
    return new DeviceTaint(
        named[0],
        named.length > 1 ? named[1] : "",
        Effect.NO_EXECUTE,
        "",
        Optional.empty(),
        parts.length > 1
            ? Optional.of(START.plusSeconds(Long.parseLong(parts[1])))
            : Optional.empty());
  }

  /** As a taint, with the seconds that it is tolerated for; {@code *} for all taints. */
  private static DeviceToleration toleration(String text) {
    String[] parts = text.split("/", -1);
    String[] named = parts[0].split("=", -1);
    return new DeviceToleration(
        named[0].equals("*") ? "" : named[0],
        named.length > 1 ? Optional.of(named[1]) : Optional.empty(),
        Optional.empty(),
        parts.length > 1
            ? Optional.of(Duration.ofSeconds(Long.parseLong(parts[1])))
            : Optional.empty());
  }

  private static Stream<String> words(@Nullable String text) {
    return text == null ? Stream.empty() : Splitter.on(' ').omitEmptyStrings().splitToStream(text);
  }

  private static PodRef pod(String name) {
    return new PodRef("team", name, "uid-of-" + name);
  }

  private static GpuUse use(
      String gpu,
      Stream<DeviceTaint> taints,
      Stream<DeviceToleration> tolerations,
      String... pods) {
    return use(START, gpu, taints, tolerations, pods);
  }

  private static GpuUse use(
      Instant since,
      String gpu,
      Stream<DeviceTaint> taints,
      Stream<DeviceToleration> tolerations,
      String... pods) {
    return new GpuUse(
        new ClaimRef("team", "c"),
        new ClaimUid("c"),
        Stream.of(pods).map(EvictionRulesTest::pod).collect(ImmutableList.toImmutableList()),
        tolerations.collect(ImmutableList.toImmutableList()),
        "worker",
        gpu,
        taints.collect(ImmutableMap.toImmutableMap(taint -> taint, taint -> since)));
  }

  private static ImmutableList<String> due(long seconds, GpuUse... uses) {
    return EvictionRules.due(ImmutableList.copyOf(uses), START.plusSeconds(seconds)).stream()
        .map(one -> one.pod().name() + " " + one.text())
        .collect(ImmutableList.toImmutableList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // taints | tolerations | seconds | because of
        "        |            |     0 | ",
        "xid     |            |     0 | tainted xid",
        "xid=79  |            |     0 | tainted xid=79",
        "xid=79  | xid=79     | 99999 | ",
        "xid=79  | xid=48     |     0 | tainted xid=79",
        "xid     | ecc        |     0 | tainted xid",
        "xid     | *          | 99999 | ",
        "xid     | xid/0      |     0 | tainted xid",
        "xid     | xid/60     |    59 | ",
        "xid     | xid/60     |    60 | tainted xid",
        "xid     | xid/60 xid |    60 | tainted xid",
        "xid     | xid xid/60 | 99999 | ",
        "xid ecc | xid        |     0 | tainted ecc",
        "xid ecc | xid/9 *    |     8 | ",
        "xid ecc | xid/9 *    |     9 | tainted xid",
        "xid/60  |            |    59 | tainted xid",
        "xid/60  |            |    60 | ",
        "xid/60  | xid/90     |    90 | ",
        "xid     | xid/9223372036854775807 | 99999 | ",
      })
  void aPodGoesWhenNoTolerationKeepsIt(
      @Nullable String taints,
      @Nullable String tolerations,
      long seconds,
      @Nullable String because) {
    GpuUse use =
        use(
            "gpu-3",
            words(taints).map(EvictionRulesTest::taint),
            words(tolerations).map(EvictionRulesTest::toleration),
            "p");
    assertThat(due(seconds, use))
        .isEqualTo(because == null ? ImmutableList.of() : ImmutableList.of("p gpu-3: " + because));
  }

  @Test
  void eachPodGoesOnceAndWhoseTimeWasOverFirstGoesFirst() {
    GpuUse later =
        use("gpu-1", Stream.of(taint("xid")), Stream.of(toleration("xid/30")), "a", "both");
    GpuUse atOnce = use("gpu-2", Stream.of(taint("ecc")), Stream.of(), "b", "both");

    assertThat(due(0, later, atOnce))
        .containsExactly("b gpu-2: tainted ecc", "both gpu-2: tainted ecc");
    assertThat(due(30, later, atOnce))
        .containsExactly("b gpu-2: tainted ecc", "both gpu-2: tainted ecc", "a gpu-1: tainted xid");
  }

  @Test
  void theReasonThatWasGivenIsTold() {
    DeviceTaint reasoned =
        Taints.taint("xid", "79", Effect.NO_EXECUTE, "XID 79 (fell off the bus)");
    assertThat(due(0, use("gpu-3", Stream.of(reasoned), Stream.of(), "p")))
        .containsExactly("p gpu-3: XID 79 (fell off the bus)");
  }

  @Test
  void aTaintSinceTheBeginningOfTimeIsOverdueAndOneSinceItsEndNeverIs() {
    for (String tolerated : List.of("xid/0", "xid/60", "xid/" + Long.MAX_VALUE)) {
      assertThat(due(0, since(Instant.MAX, tolerated))).isEmpty();
    }
    assertThat(due(0, since(Instant.MIN, "xid/60"))).containsExactly("p gpu-3: tainted xid");
    assertThat(due(0, since(Instant.MIN, "xid/" + Long.MAX_VALUE))).isEmpty();
  }

  private static GpuUse since(Instant since, String tolerated) {
    return use(since, "gpu-3", Stream.of(taint("xid")), Stream.of(toleration(tolerated)), "p");
  }
}
