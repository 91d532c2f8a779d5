package io.gpudra.controller.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.process.MetricNames;
import io.gpudra.process.MetricsPage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class WaitTimersTest implements ReportSink {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final ClaimUid A = new ClaimUid("a");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final long origin = nanos.get();
  private final MetricRegistry metrics = new MetricRegistry();
  private final MetricsPage page =
      new MetricsPage(
          metrics,
          new MetricNames(
              ImmutableList.of(
                  MetricNames.Rule.of("grant.wait.*.*.**", "wait", "mode,namespace,class"))));
  private final List<String> passedOn = new ArrayList<>();
  private final InstantSource now = () -> START.plusNanos(nanos.get() - origin);
  private final WaitTimers waitTimers =
      new WaitTimers(this, now.withZone(ZoneOffset.UTC), nanos::get, metrics);

  @Override
  public void warn(Warning warning) {
    passedOn.add(warning.reason());
  }

  @Override
  public void warnOfNode(String node, Warning warning) {
    passedOn.add(warning.reason() + " of " + node);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {
    passedOn.add("refused");
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private double shown(String name) {
    Matcher line =
        Pattern.compile("^" + Pattern.quote(name) + " (.*)$", Pattern.MULTILINE)
            .matcher(page.answer(ImmutableMap.of()).text());
    assertThat(line.find()).as(name).isTrue();
    return Double.parseDouble(line.group(1));
  }

  private static ClaimFacts claim(String namespace, String className) {
    return Some.claim("train").in(namespace).ofClass(className).facts();
  }

  @Test
  void aWaitLastsFromTheWishToTheGrant() {
    pass(Duration.ofSeconds(7));
    waitTimers.granted(Mode.DELAYED, claim("team-a", "gpu.example.com"), START);
    waitTimers.granted(Mode.IMMEDIATE, claim("team-b", "mig"), START.plusSeconds(3));

    String labels = "class=\"gpu.example.com\",mode=\"delayed\",namespace=\"team-a\"";
    assertThat(shown("wait_count{" + labels + "}")).isEqualTo(1);
    assertThat(shown("wait_sum{" + labels + "}")).isCloseTo(7, within(1e-9));
    assertThat(shown("wait_bucket{" + labels + ",le=\"5.0\"}")).isZero();
    assertThat(shown("wait_bucket{" + labels + ",le=\"10.0\"}")).isEqualTo(1);
    assertThat(shown("wait_sum{class=\"mig\",mode=\"immediate\",namespace=\"team-b\"}"))
        .isCloseTo(4, within(1e-9));
  }

  @Test
  void aPodAtItsGateWaitsFromItsCreation() {
    pass(Duration.ofSeconds(7));
    waitTimers.grantedAtGate(claim("team-a", "gpu.example.com"), START);

    assertThat(shown("wait_sum{class=\"gpu.example.com\",mode=\"gated\",namespace=\"team-a\"}"))
        .isCloseTo(7, within(1e-9));
  }

  @Test
  void aServerWhoseClockIsAheadMakesNobodyWaitLessThanNothing() {
    waitTimers.granted(Mode.DELAYED, claim("team-a", "gpu"), START.plusSeconds(3));

    String labels = "{class=\"gpu\",mode=\"delayed\",namespace=\"team-a\"}";
    assertThat(shown("wait_count" + labels)).isEqualTo(1);
    assertThat(shown("wait_sum" + labels)).isZero();
  }

  @Test
  void whoAskedAtTheBeginningOrTheEndOfTimeIsCounted() {
    waitTimers.granted(Mode.DELAYED, claim("team-a", "gpu"), Instant.MIN);
    waitTimers.granted(Mode.DELAYED, claim("team-a", "gpu"), Instant.MAX);

    String labels = "{class=\"gpu\",mode=\"delayed\",namespace=\"team-a\"}";
    assertThat(shown("wait_count" + labels)).isEqualTo(2);
    assertThat(shown("wait_sum" + labels)).isEqualTo(Long.MAX_VALUE / 1e9);
  }

  @Test
  void noClusterMakesMoreThanThirtyTwoNamespacesAndClasses() {
    for (int i = 0; i < 40; i++) {
      waitTimers.granted(Mode.DELAYED, claim("team-" + i, "class-" + i), START);
    }

    assertThat(metrics.getTimers((name, timer) -> name.startsWith("grant.wait."))).hasSize(33);
    assertThat(shown("wait_count{class=\"class-31\",mode=\"delayed\",namespace=\"team-31\"}"))
        .isEqualTo(1);
    assertThat(shown("wait_count{class=\"other\",mode=\"delayed\",namespace=\"other\"}"))
        .isEqualTo(8);
  }

  @Test
  void aReleaseLastsFromItsFirstAttemptUntilNothingIsLeft() {
    waitTimers.releasing(A);
    pass(Duration.ofSeconds(2));
    waitTimers.releasing(A);
    pass(Duration.ofSeconds(1));
    assertThat(shown("release_count")).isZero();
    assertThat(shown("entries_releasing")).isEqualTo(1);

    waitTimers.holdsGone(A);
    waitTimers.holdsGone(A);

    assertThat(shown("release_count")).isEqualTo(1);
    assertThat(shown("release_sum")).isCloseTo(3, within(1e-9));
    assertThat(shown("entries_releasing")).isZero();
  }

  @Test
  void whatSomebodyElseReleasesIsNotMeasured() {
    waitTimers.holdsGone(A);

    assertThat(shown("release_count")).isZero();
  }

  @Test
  void aClaimWhoseDevicesNeverComeBackIsForgottenForTenThousandOthers() {
    waitTimers.releasing(A);
    for (int i = 0; i < WaitTimers.MAX; i++) {
      waitTimers.releasing(new ClaimUid("claim-" + i));
    }
    waitTimers.holdsGone(A);

    assertThat(shown("entries_releasing")).isEqualTo(WaitTimers.MAX);
    assertThat(shown("release_count")).isZero();
  }

  @Test
  void whatIsToldGoesItsWay() {
    Warning late =
        new Warning(
            new Subject.OnClaim(new ClaimRef("team-a", "train"), A),
            "Late",
            ImmutableSet.of(),
            "it is late");
    waitTimers.warn(late);
    waitTimers.warnOfNode("worker-1", late);

    assertThat(passedOn).containsExactly("Late", "Late of worker-1");
  }
}
