package io.gpudra.kubeletplugin.device;

import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As stubborn as nvidia.md says real ones are. */
class FakeDevicesTest extends GpuDevicesContract {

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeDevices devices;

  @BeforeEach
  void boot() {
    devices =
        new FakeDevices(
            Parts.gpus(2),
            "",
            "",
            new FakeMpsServers(),
            new FakeFaults(faults(), "gpu.example.com"));
  }

  @Override
  protected GpuDevices devices() {
    return devices;
  }

  @Override
  protected GpuDevices fixed() {
    ImmutableList<Gpu> gpus =
        ImmutableList.of(Parts.gpus(1).get(0).with(MigState.of(MigMode.DISABLED)));
    return new FakeDevices(gpus, "", "", new FakeMpsServers(), FakeFaults.none());
  }

  @Override
  protected void lose(String uuid) throws IOException {
    Files.writeString(faults(), "{\"lost\":[\"%s\"]}".formatted(uuid.replace("GPU", "gpu")));
  }

  private Path faults() {
    return directory.resolve("faults.json");
  }

  private List<MigState.Device> found() {
    return devices.gpus().get(0).mig().devices();
  }

  private void cut(int start) throws IOException {
    devices.setMigMode("GPU-0", MigMode.ENABLED);
    devices.makeGpuInstance("GPU-0", slice("1g.5gb", start));
    devices.makeComputeInstance("GPU-0", slice("1g.5gb", start));
  }

  @Test
  void aBootTakesAllButTheMode() throws IOException {
    cut(0);
    devices.setComputeMode("GPU-1", ComputeMode.EXCLUSIVE_PROCESS);

    devices.reset();

    assertThat(found()).isEmpty();
    assertThat(devices.gpus().get(0).mig().mode()).isEqualTo(MigMode.ENABLED);
    assertThat(devices.settings()).isEmpty();
  }

  @Test
  void hopperForgetsTheModeAtABoot() throws IOException {
    FakeDevices hopper = new FakeDevices(FakeNodeProfiles.parse("h100").of("n1"), "n1");
    String gpu = hopper.gpus().get(0).uuid();
    hopper.setMigMode(gpu, MigMode.ENABLED);

    hopper.reset();

    assertThat(hopper.gpus().get(0).mig().mode()).isEqualTo(MigMode.DISABLED);
  }

  private FakeDevices afterARestart(ImmutableList<Gpu> gpus) throws IOException {
    return new FakeDevices(gpus, "", "", new FakeMpsServers(), FakeFaults.none())
        .keptIn(directory.resolve("devices.json"));
  }

  @Test
  void staysCutWhileThePluginStartsAgain() throws IOException {
    devices = afterARestart(Parts.gpus(2));
    cut(3);
    devices.makeGpuInstance("GPU-0", slice("2g.10gb", 4));
    devices.makeComputeInstance("GPU-0", within(slice("2g.10gb", 4), 1, 1));
    devices.makeGpuInstance("GPU-0", slice("1g.5gb", 0));
    ImmutableList<Gpu> before = devices.gpus();

    devices = afterARestart(Parts.gpus(2));
    assertThat(devices.gpus()).isEqualTo(before);
    devices.destroyComputeInstance("GPU-0", slice("1g.5gb", 3));
    devices.makeComputeInstance("GPU-0", slice("1g.5gb", 3));
    assertThat(found()).doesNotContain(before.get(0).mig().devices().get(0));

    devices.reset();
    assertThat(afterARestart(Parts.gpus(2)).gpus().get(0).mig().devices()).isEmpty();
  }

  @Test
  void isNotCutAsAnotherProfileWas() throws IOException {
    devices = afterARestart(Parts.gpus(2));
    cut(3);
    Gpu fixed = Parts.gpus(1).get(0).with(MigState.of(MigMode.DISABLED));

    assertThat(afterARestart(ImmutableList.of(fixed)).gpus()).containsExactly(fixed);
  }

  @Test
  void isUncutWhenTheFileIsDamaged() throws IOException {
    Files.writeString(directory.resolve("devices.json"), "{\"GPU-0\": {\"mode\"");

    assertThat(afterARestart(Parts.gpus(2)).gpus()).isEqualTo(Parts.gpus(2));
  }

  @Test
  void goesWrongWhileAFileSaysSo() throws IOException {
    Files.writeString(
        faults(),
        "{\"fail\":{\"makeComputeInstance\":\"broken\"},\"delayMillis\":{\"setMigMode\":1}}");
    assertThatThrownBy(() -> cut(0)).hasMessage("gpu-0: broken");

    Files.writeString(faults(), "{\"lost\":[\"gpu-0\"],\"xid\":{\"gpu-1\":79}}");
    assertThatThrownBy(() -> cut(1)).hasMessage("gpu-0: GPU is lost");
    assertThat(devices.gpus())
        .flatExtracting(gpu -> gpu.taints().stream().map(DeviceTaint::key).toList())
        .containsExactly("gpu.example.com/lost", "gpu.example.com/xid");

    Files.delete(faults());
    cut(0);
    assertThat(devices.gpus()).allSatisfy(gpu -> assertThat(gpu.taints()).isEmpty());
  }
}
