package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.testing.Emulated;
import io.gpudra.nvidia.EmulatedGpu;
import io.gpudra.nvidia.EmulatedKernel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What must hold with NVIDIA's own management library, of one version and two GPUs of one kind, on
 * a kernel that is emulated.
 */
abstract class OnNvidiaLibraryContract {

  @TempDir Path directory = Path.of("");

  private final String driver;
  private final KnownModel model;

  @SuppressWarnings("NullAway.Init") // set before each test
  private EmulatedKernel kernel;

  @SuppressWarnings("NullAway.Init") // set before each test
  private NvidiaDevices devices;

  /**
   * Nothing is loaded yet.
   *
   * @param driver by which hack/nvidia/fetch knows the library
   */
  OnNvidiaLibraryContract(String driver, KnownModel model) {
    this.driver = driver;
    this.model = model;
  }

  @BeforeEach
  void load() throws IOException {
    kernel =
        EmulatedKernel.of(directory, Emulated.library(driver), EmulatedGpu.several(model.key(), 2));
    devices = Emulated.open(kernel);
  }

  @AfterEach
  void nothingIsLeftInTheKernel() {
    if (devices != null) {
      devices.close();
    }
    if (kernel != null) {
      int left = kernel.instances();
      kernel.close();
      assertThat(left).as("instances that the kernel still has").isZero();
    }
  }

  private String first() {
    return gpu().uuid();
  }

  private Gpu gpu() {
    return devices.gpus().get(0);
  }

  private ImmutableList<MigState.Device> found() {
    return gpu().mig().devices();
  }

  /** Where it takes a reset, an administrator did that. */
  private void enableMig() throws IOException {
    if (gpu().mig().switchable()) {
      devices.setMigMode(first(), MigMode.ENABLED);
    } else {
      devices.close();
      kernel.set(first(), "mig", 1);
      devices = Emulated.open(kernel);
    }
  }

  private Slice whole(String profile, int start) {
    MigProfile known =
        gpu().model().migProfiles().stream()
            .filter(one -> one.name().equals(profile))
            .findFirst()
            .orElseThrow();
    return new Slice(profile, start, known.size(), known.compute(), Optional.empty());
  }

  private static Slice part(Slice whole, int start, int compute) {
    return new Slice(
        whole.profile(),
        whole.start(),
        whole.size(),
        whole.compute(),
        Optional.of(new Instance(start, compute)));
  }

  @Test
  void findsAllGpusWithWhatTheDriverTellsOfThem() {
    assertThat(devices.driverVersion()).isEqualTo(kernel.driverVersion());
    assertThat(devices.cudaDriverVersion()).isEqualTo(cuda());
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
      assertThat(gpu.model().cudaComputeCapability()).isEqualTo(model.computeCapability());
    }
  }

  /** A driver that is old tells none while the mode is off. */
  @Test
  void knowsEveryMigProfile() throws IOException {
    enableMig();

    assertThat(gpu().model().migProfiles())
        .extracting(profile -> profile.name() + "@" + profile.starts() + "x" + profile.most())
        .containsExactlyElementsOf(profiles());
  }

  /** The doubled 1g came later. */
  private ImmutableList<String> profiles() {
    return model.profiles().stream()
        .filter(profile -> !driver.equals("470") || !profile.startsWith("1g.10gb"))
        .collect(toImmutableList());
  }

  private String cuda() {
    return switch (driver) {
      case "470" -> "11.4";
      case "535" -> "12.2";
      case "550" -> "12.4";
      default -> devices.cudaDriverVersion();
    };
  }

  @Test
  void makesFindsAndDestroysEveryMigProfileAtEveryPlace() throws IOException {
    enableMig();
    for (MigProfile profile : gpu().model().migProfiles()) {
      for (int start : profile.starts()) {
        comesAndGoes(whole(profile.name(), start));
      }
    }
  }

  private void comesAndGoes(Slice slice) throws IOException {
    devices.makeGpuInstance(first(), slice);
    devices.makeComputeInstance(first(), slice);
    // Changes nothing twice.
    devices.makeGpuInstance(first(), slice);
    devices.makeComputeInstance(first(), slice);
    assertThat(found()).extracting(MigState.Device::slice).containsExactly(slice);
    assertThat(found().get(0).uuid()).startsWith("MIG-").doesNotContain("/");
    assertThat(devices.deviceEdits(first(), Optional.of(slice)).deviceNodes())
        .extracting(DeviceNode::path)
        .hasSize(3)
        .startsWith("/dev/nvidia0");
    devices.destroyComputeInstance(first(), slice);
    devices.destroyGpuInstance(first(), slice);
    assertThat(found()).isEmpty();
  }

  /** A session that begins later finds them, too. */
  @Test
  void cutsAGpuIntoPartsOfGpuInstances() throws IOException {
    Assumptions.assumeFalse(driver.equals("470"), "parts take driver 525 or later");
    enableMig();
    Slice three = whole(model.ofCompute(3), 0);
    comeAndGo(three, part(three, 0, 1), part(three, 1, 1), part(three, 2, 1));
    Slice seven = whole(model.ofCompute(7), 0);
    comeAndGo(seven, part(seven, 0, 2), part(seven, 2, 2), part(seven, 4, 2));
    comeAndGo(seven, part(seven, 0, 3), part(seven, 4, 3));
  }

  private void comeAndGo(Slice whole, Slice... parts) throws IOException {
    devices.makeGpuInstance(first(), whole);
    for (Slice part : parts) {
      devices.makeComputeInstance(first(), part);
    }
    devices.close();
    devices = Emulated.open(kernel);
    assertThat(found()).extracting(MigState.Device::slice).containsExactly(parts);
    assertThat(found()).extracting(MigState.Device::uuid).doesNotHaveDuplicates();
    assertThatThrownBy(() -> devices.destroyGpuInstance(first(), whole))
        .hasMessageContaining("In use by another client");
    for (Slice part : parts) {
      devices.destroyComputeInstance(first(), part);
    }
    devices.destroyGpuInstance(first(), whole);
  }
}
