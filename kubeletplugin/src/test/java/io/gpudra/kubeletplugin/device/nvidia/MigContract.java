package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlMig;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** How GPUs are cut. */
abstract class MigContract extends DriverCase {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  MigContract(String driver, KnownModel model) {
    super(driver, model);
  }

  @Test
  void profilesAreToldWhileTheModeIsOffFrom550On() {
    assertThat(gpu().model().migProfiles().isEmpty())
        .isEqualTo(ImmutableSet.of("470", "535").contains(driver));
  }

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
        .filter(profile -> !isOld() || !profile.startsWith("1g.10gb"))
        .collect(toImmutableList());
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
    enableMig();
    Slice three = whole(model.ofCompute(3), 0);
    if (isOld()) {
      isRefused(three, part(three, 0, 1));
      return;
    }
    comeAndGo(three, part(three, 0, 1), part(three, 1, 1), part(three, 2, 1));
    Slice seven = whole(model.ofCompute(7), 0);
    comeAndGo(seven, part(seven, 0, 2), part(seven, 2, 2), part(seven, 4, 2));
    comeAndGo(seven, part(seven, 0, 3), part(seven, 4, 3));
  }

  private void isRefused(Slice whole, Slice part) throws IOException {
    devices.makeGpuInstance(first(), whole);
    assertThatThrownBy(() -> devices.makeComputeInstance(first(), part))
        .hasMessageContaining("a part of a GPU instance takes driver 525 or later");
    devices.destroyGpuInstance(first(), whole);
  }

  private void comeAndGo(Slice whole, Slice... parts) throws IOException {
    devices.makeGpuInstance(first(), whole);
    for (Slice part : parts) {
      devices.makeComputeInstance(first(), part);
    }
    assertThat(found()).extracting(MigState.Device::slice).as("each once").containsExactly(parts);
    devices.close();
    devices = kernel.open();
    assertThat(found()).extracting(MigState.Device::slice).containsExactly(parts);
    assertThat(found()).extracting(MigState.Device::uuid).doesNotHaveDuplicates();
    for (Slice part : parts) {
      devices.destroyComputeInstance(first(), part);
    }
    devices.destroyGpuInstance(first(), whole);
  }

  @Test
  void tellsOfAnXidInWhichMigDeviceItWas() throws IOException {
    enableMig();
    Slice ill = whole(model.ofCompute(3), 4);
    Slice well = whole(model.ofCompute(3), 0);
    for (Slice slice : ImmutableList.of(ill, well)) {
      devices.makeGpuInstance(first(), slice);
      devices.makeComputeInstance(first(), slice);
    }
    NvmlMig.Device where = numbers(ill);
    devices.onChange(() -> {});
    Awaitility.await("an XID")
        .atMost(LIMIT)
        .until(
            () -> {
              kernel.xid(first(), 95, where);
              return gpu().isTainted();
            });

    assertThat(gpu().taints()).isEmpty();
    assertThat(found())
        .filteredOn(device -> !device.taints().isEmpty())
        .extracting(MigState.Device::slice)
        .containsExactly(ill);
    for (Slice slice : ImmutableList.of(ill, well)) {
      devices.destroyComputeInstance(first(), slice);
      devices.destroyGpuInstance(first(), slice);
    }
    assertThat(gpu().taints()).as("of one that is gone").hasSize(1);
  }

  private NvmlMig.Device numbers(Slice slice) throws IOException {
    String uuid =
        found().stream()
            .filter(device -> device.slice().equals(slice))
            .map(MigState.Device::uuid)
            .findFirst()
            .orElseThrow();
    try (Nvml session = Nvml.open(kernel.library())) {
      return session.gpus().get(0).mig().devices().stream()
          .filter(device -> device.uuid().equals(uuid))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void switchesTheMigModeOrSaysWhatItTakes() throws IOException {
    if (gpu().mig().switchable()) {
      devices.setMigMode(first(), MigMode.ENABLED);
      assertThat(modes()).containsExactly(MigMode.ENABLED, MigMode.DISABLED);
      devices.setMigMode(first(), MigMode.DISABLED);
      assertThat(modes()).containsOnly(MigMode.DISABLED);
    } else {
      assertThatThrownBy(() -> devices.setMigMode(first(), MigMode.ENABLED))
          .hasMessageContaining("it takes a reset");
      assertThat(modes()).containsOnly(MigMode.DISABLED);
    }
  }

  @Test
  void leavesNoModeWaitingThatDoesNotTakeEffectAtOnce() throws IOException {
    kernel.set(first(), "computing", 4711);

    assertThatThrownBy(() -> devices.setMigMode(first(), MigMode.ENABLED))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("MIG mode of gpu-0");

    try (Nvml session = Nvml.open(kernel.library())) {
      assertThat(session.gpus().get(0).mig().mode()).contains(new NvmlMig.Mode(false, false));
    }
  }

  private ImmutableList<MigMode> modes() {
    return devices.gpus().stream().map(gpu -> gpu.mig().mode()).collect(toImmutableList());
  }

  @Test
  void refusesWhatIsInTheWay() throws IOException {
    enableMig();
    Slice half = whole(model.ofCompute(3), 4);
    devices.makeGpuInstance(first(), half);
    devices.makeComputeInstance(first(), half);

    assertThatThrownBy(() -> devices.makeGpuInstance(first(), whole(model.ofCompute(7), 0)))
        .hasMessageContaining("Insufficient Resources");
    assertThatThrownBy(() -> devices.destroyGpuInstance(first(), half))
        .hasMessageContaining("In use by another client");
    assertThatThrownBy(() -> devices.setComputeMode(first(), ComputeMode.EXCLUSIVE_PROCESS))
        .hasMessageContaining("Not Supported");
    devices.destroyComputeInstance(first(), half);
    devices.destroyGpuInstance(first(), half);
  }

  /** Where it takes a reset, an administrator did that. */
  final void enableMig() throws IOException {
    if (gpu().mig().switchable()) {
      devices.setMigMode(first(), MigMode.ENABLED);
    } else {
      devices.close();
      kernel.set(first(), "mig", 1);
      devices = kernel.open();
    }
  }

  final Slice whole(String profile, int start) {
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

  final ImmutableList<MigState.Device> found() {
    return gpu().mig().devices();
  }
}
