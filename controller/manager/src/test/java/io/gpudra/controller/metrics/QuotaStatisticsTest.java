package io.gpudra.controller.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.quota.QuotaCharge;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.process.LabelledCounter.Table;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class QuotaStatisticsTest {
  private static final QuotaUse GPUS = use("two", OptionalLong.of(2_000), OptionalLong.empty());
  private static final QuotaUse MEMORY = use("mem", OptionalLong.empty(), OptionalLong.of(90));

  private final MetricRegistry metrics = new MetricRegistry();
  private boolean leading = true;
  private int asked;

  QuotaStatisticsTest() {
    new QuotaStatistics(
            () -> ImmutableMap.of("team", ImmutableList.of(GPUS, MEMORY)),
            namespace -> {
              asked++;
              return ImmutableMultiset.of("two", "two");
            },
            () -> leading)
        .register(metrics);
  }

  private static QuotaUse use(String name, OptionalLong gpus, OptionalLong bytes) {
    QuotaLimit limit = new QuotaLimit(name, "uid", ImmutableSet.of(), gpus, bytes);
    return new QuotaUse(limit, new QuotaCharge(1_500, 80));
  }

  private ImmutableMap<ImmutableList<String>, Long> shown(String name) {
    return ((Table) metrics.gauge(name).getValue()).counts();
  }

  private static ImmutableList<String> of(String... labels) {
    return ImmutableList.copyOf(List.of(labels));
  }

  @Test
  void whatIsLimitedIsShownWithItsLimitAndWhoWaits() {
    assertThat(shown("quota.used"))
        .isEqualTo(
            ImmutableMap.of(of("team", "two", "gpus"), 1_500L, of("team", "mem", "memory"), 80L));
    assertThat(shown("quota.hard"))
        .isEqualTo(
            ImmutableMap.of(of("team", "two", "gpus"), 2_000L, of("team", "mem", "memory"), 90L));
    assertThat(shown("quota.waiting"))
        .isEqualTo(ImmutableMap.of(of("team", "two"), 2L, of("team", "mem"), 0L));
    assertThat(asked).as("once for the namespace").isEqualTo(1);
  }

  @Test
  void aStandbyShowsNothing() {
    leading = false;

    assertThat(shown("quota.used")).isEmpty();
    assertThat(shown("quota.hard")).isEmpty();
    assertThat(shown("quota.waiting")).isEmpty();
  }
}
