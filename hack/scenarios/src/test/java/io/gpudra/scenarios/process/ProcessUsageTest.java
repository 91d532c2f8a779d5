package io.gpudra.scenarios.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessUsageTest {

  @Test
  void timeInBothModesIsAddedUp() {
    String stat = "4711 (a (strange) name) S 1 1 1 0 -1 4194560 5 0 0 0 250 50 0 0 20 0 1 0 99";

    assertThat(
            ProcessUsage.parse(
                stat, List.of("VmPeak:\t  9999 kB", "VmHWM:\t    2048 kB", "VmRSS:\t    1024 kB")))
        .isEqualTo(new ProcessUsage(3.0, 1.0, 2.0));
  }

  @Test
  void aRunningProcessHasMemory() throws IOException {
    assertThat(ProcessUsage.of(ProcessHandle.current().pid()).peakMemoryMiB()).isPositive();
  }
}
