package io.gpudra.bench.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.bench.real.Workload.Phase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WorkloadTest {

  @Test
  void podsOfABurstAreDueAtOnce() {
    assertThat(Workload.named("half").dueNanos(Phase.MEASURED, 999)).isZero();
  }

  @Test
  void podsOfASteadyWorkloadComeOneByOneForTwoMinutes() {
    Workload steady = Workload.named("steady-5");

    assertThat(steady.dueNanos(Phase.MEASURED, 7)).isEqualTo(Duration.ofMillis(1400).toNanos());
    assertThat(steady.dueNanos(Phase.MEASURED, steady.measuredPods()))
        .isEqualTo(Duration.ofMinutes(2).toNanos());
  }

  @Test
  void whatFillsTheClusterBeforeIsNotSlowedDown() {
    assertThat(Workload.named("steady-10").dueNanos(Phase.INIT, 400)).isZero();
  }
}
