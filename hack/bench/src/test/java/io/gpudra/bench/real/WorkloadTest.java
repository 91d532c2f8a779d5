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

  @Test
  void aGroupIsSpreadOverTheBurst() {
    Workload workload = Workload.named("group-64");

    assertThat(workload.memberNames()).hasSize(64).contains("pod-0000", "pod-1008");
    assertThat(workload.isMember(Phase.MEASURED, 1024)).isFalse();
    assertThat(workload.isMember(Phase.INIT, 0)).isFalse();
  }

  @Test
  void otherWorkloadsHaveNoGroup() {
    assertThat(Workload.named("half").memberNames()).isEmpty();
    assertThat(Workload.named("group-1024").memberNames()).hasSize(1024);
  }
}
