package io.gpudra.scenarios;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.metrics.GpuStatistics;
import io.gpudra.controller.metrics.WaitingClaimCounts;
import io.gpudra.controller.view.GpuUse;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.process.LabelledCounter;
import java.time.Clock;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Metrics and the view, which the commands and the page show, name each GPU alike. */
class GpuStatusAgreementTest {
  private static final int SEEDS = 20;
  private static final int NODES = 50;

  private final MetricRegistry metrics = new MetricRegistry();
  private final GpuStatistics statistics =
      new GpuStatistics(
          "",
          () -> false,
          new WaitingClaimCounts(ImmutableList::of, claim -> Optional.empty(), Clock.systemUTC()),
          metrics);

  static LongStream seeds() {
    return LongStream.range(0, SEEDS);
  }

  private static ImmutableList<NodeLedger> ledgers(long seed) {
    Random random = new Random(seed);
    return IntStream.range(0, NODES)
        .mapToObj(i -> RandomLedger.of("node-" + i, random))
        .collect(ImmutableList.toImmutableList());
  }

  private static Stream<GpuUse> uses(long seed) {
    return ledgers(seed).stream().flatMap(ledger -> NodeUse.of(ledger).gpus().stream());
  }

  /** The counts of a gauge by the values of this label, without those that are 0. */
  private Map<String, Long> counted(String gauge, String label) {
    LabelledCounter.Table table = (LabelledCounter.Table) metrics.gauge(gauge).getValue();
    int column = table.labels().indexOf(label);
    return table.counts().entrySet().stream()
        .filter(row -> row.getValue() > 0)
        .collect(groupingBy(row -> row.getKey().get(column), summingLong(Map.Entry::getValue)));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void asManyGpusAreInAStateByTheMetricAsByTheCommand(long seed) {
    statistics.update(ledgers(seed));

    assertThat(counted("gpus", "state"))
        .isEqualTo(uses(seed).collect(groupingBy(use -> use.status().label(), counting())));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aListedGpuIsHeldByTheMetricIfTheCommandNamesAHolder(long seed) {
    statistics.update(ledgers(seed));

    assertThat(counted("gpus.held", "model").get(RandomLedger.MODEL.productName()))
        .isEqualTo(
            uses(seed).filter(use -> use.gpu().isPresent() && !use.holders().isEmpty()).count());
  }

  @Test
  void everyStateOccursThere() {
    assertThat(uses(0).map(GpuUse::status)).containsAll(Arrays.asList(GpuStatus.values()));
  }
}
