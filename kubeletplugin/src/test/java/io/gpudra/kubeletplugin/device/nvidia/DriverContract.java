package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpu;
import io.gpudra.nvidia.EmulatedGpu;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What must hold with each driver and kind of GPU, on NVIDIA's own library and on its stub. */
abstract class DriverContract extends MigContract {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** After which a GPU that comes later should have been found. */
  private static final int LOOKS = 100;

  /** So many looks a condition must be gone. */
  private static final int PROBATION = 3;

  /** Of nvml.h, as the other one. */
  private static final int FABRIC_IN_PROGRESS = 2;

  private static final int FABRIC_COMPLETED = 3;

  DriverContract(String driver, KnownModel model) {
    super(driver, model);
  }

  @Test
  void findsAllGpusWithWhatTheDriverTellsOfThem() {
    assertThat(devices.driverVersion()).isEqualTo(kernel.version());
    assertThat(devices.cudaDriverVersion()).isEqualTo(kernel.cudaVersion());
    assertThat(devices.gpus()).extracting(Gpu::name).containsExactly("gpu-0", "gpu-1");
    for (EmulatedGpu real : EmulatedGpu.several(model.key(), 2)) {
      Gpu gpu = devices.find(real.uuid()).orElseThrow();
      assertThat(gpu.minor()).isEqualTo(real.minor());
      assertThat(gpu.pcieBusId()).isEqualTo(real.busId());
      assertThat(gpu.numaNode()).isEqualTo(real.minor() % 2);
      assertThat(gpu.memoryBytes()).isEqualTo(model.memoryMib() << 20);
      assertThat(gpu.model().productName()).isEqualTo(model.productName());
      assertThat(gpu.model().brand()).isEqualTo("Nvidia");
      assertThat(gpu.model().architecture()).isEqualTo(model.architecture());
      assertThat(gpu.model().capabilities()).contains("ecc", "mig", "tensorCores");
      assertThat(gpu.model().cudaComputeCapability()).isEqualTo(model.computeCapability());
    }
  }

  @Test
  void hearsOfXidsAndOfErrorsOfMemory() {
    AtomicInteger told = new AtomicInteger();
    devices.onChange(told::incrementAndGet);

    Awaitility.await("an XID")
        .atMost(LIMIT)
        .until(
            () -> {
              kernel.xid(first(), 48);
              return !gpu().taints().isEmpty();
            });
    assertThat(devices.gpus().get(1).taints()).isEmpty();
    Awaitility.await("an error of memory")
        .atMost(LIMIT)
        .until(
            () -> {
              kernel.doubleBitError(devices.gpus().get(1).uuid());
              return !devices.gpus().get(1).taints().isEmpty();
            });
    assertThat(told).hasPositiveValue();
  }

  @Test
  void tellsOfAGpuThatIsLostAndGoesOnWithTheOther() throws IOException {
    kernel.set(first(), "lost", 1);

    devices.poll(Set.of());

    assertThat(gpu().taints()).anyMatch(DeviceTaint::concernsLoss);
    assertThatThrownBy(() -> devices.setUp(first())).hasMessageContaining("gpu-0");
    assertThat(devices.gpus().get(1).taints()).isEmpty();
    devices.setUp(devices.gpus().get(1).uuid());
  }

  @Test
  void keepsClaimsAwayUntilTheGpuJoinsItsFabric() throws IOException {
    kernel.set(first(), "fabric", FABRIC_IN_PROGRESS);
    look(1);
    assertThat(gpu().taints())
        .extracting(DeviceTaint::reason)
        .isEqualTo(isOld() ? List.of() : List.of("NVLink fabric is not ready"));
    assertThat(devices.gpus().get(1).taints()).isEmpty();

    kernel.set(first(), "fabric", FABRIC_COMPLETED);
    look(PROBATION);
    assertThat(gpu().taints()).isEmpty();
  }

  private void look(int times) {
    for (int i = 0; i < times; i++) {
      devices.poll(Set.of());
    }
  }

  @Test
  void findsAGpuThatTheDriverTakesLater() throws IOException {
    String late = first();
    devices.close();
    kernel.set(late, "unbound", 1);
    devices = kernel.open();
    assertThat(devices.gpus()).hasSize(1);
    kernel.set(late, "unbound", 0);

    for (int look = 0; look < LOOKS && devices.gpus().size() < 2; look++) {
      devices.poll(Set.of());
    }

    assertThat(devices.gpus()).hasSize(2);
    devices.setUp(late);
  }

  @Test
  void saysThatTheModuleIsOfAnotherVersion() throws IOException {
    devices.close();
    kernel.replaceModule();

    assertThatThrownBy(() -> kernel.open())
        .hasMessageContaining("the driver was replaced: restart the node");
  }

  @Test
  void setsTheComputeModeAndTakesItBack() throws IOException {
    devices.setComputeMode(first(), ComputeMode.EXCLUSIVE_PROCESS);
    assertThat(computeModes())
        .containsExactly(NvmlCatalogue.ONE_PROCESS, NvmlCatalogue.ANY_PROCESS);

    devices.setComputeMode(first(), ComputeMode.DEFAULT);
    assertThat(computeModes()).containsOnly(NvmlCatalogue.ANY_PROCESS);
  }

  private ImmutableList<Integer> computeModes() throws IOException {
    try (Nvml session = Nvml.open(kernel.library())) {
      ImmutableList.Builder<Integer> modes = ImmutableList.builder();
      for (NvmlGpu gpu : session.gpus()) {
        modes.add(gpu.computeMode().orElseThrow());
      }
      return modes.build();
    }
  }

  @Test
  void seesWhoElseUsesAGpu() throws IOException {
    kernel.set(first(), "computing", 4711);

    look(2);

    assertThat(gpu().taints())
        .extracting(DeviceTaint::reason)
        .anyMatch(why -> why.contains("used by process 4711"));
    assertThat(devices.gpus().get(1).taints()).isEmpty();
  }
}
