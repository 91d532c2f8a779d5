package io.gpudra.kubeletplugin.prepare.step;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.Locked;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.MakeComputeInstance;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.MakeGpuInstance;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.SwitchMig;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuStepsTest {

  private static final Slice THERE = slice("1g.5gb", 0);
  private static final Slice BESIDE = slice("1g.5gb", 1);

  @TempDir Path directory = Path.of("");

  /** One GPU with a MIG device that somebody else made. */
  private GpuDevices withForeign() {
    return with(GrantFixture.migDevice("MIG-static", THERE, true));
  }

  private GpuDevices withOurs() {
    return with(GrantFixture.migDevice("MIG-ours", THERE));
  }

  private GpuDevices with(MigState.Device... there) {
    MigState state = new MigState(MigMode.ENABLED, true, ImmutableList.copyOf(there));
    return new FakeNode(
            directory,
            Parts.gpus(1).stream().map(gpu -> gpu.with(state)).collect(toImmutableList()))
        .devices;
  }

  /** Devices that changed, which nobody knows who does not look. */
  private static GpuDevices changed(GpuDevices before, GpuDevices now) throws IOException {
    AtomicBoolean looked = new AtomicBoolean();
    GpuDevices devices = mock(GpuDevices.class, delegatesTo(now));
    doAnswer(call -> (looked.get() ? now : before).find("GPU-0")).when(devices).find("GPU-0");
    doAnswer(call -> looked.getAndSet(true)).when(devices).inspect("GPU-0", THERE);
    return devices;
  }

  /** In memory, as all of them for a while. */
  private static final class Noted implements CreatedMigDevice.Notes {
    private CreatedMigDevice createdMigDevice;

    Noted(CreatedMigDevice createdMigDevice) {
      this.createdMigDevice = createdMigDevice;
    }

    @Override
    public CreatedMigDevice made() {
      return createdMigDevice;
    }

    @Override
    public void record(CreatedMigDevice more) {
      createdMigDevice = more;
    }
  }

  private static PrepareStep instance(
      GpuDevices devices, Slice slice, CreatedMigDevice createdMigDevice) {
    return new MakeGpuInstance(
        devices, "GPU-0", slice, new Noted(createdMigDevice), () -> false, () -> false);
  }

  private static PrepareStep compute(
      GpuDevices devices, Slice slice, CreatedMigDevice createdMigDevice) {
    return new MakeComputeInstance(devices, "GPU-0", slice, new Noted(createdMigDevice));
  }

  private static ImmutableList<MigState.Device> found(GpuDevices devices) {
    return devices.gpus().get(0).mig().devices();
  }

  @Test
  void whatSomebodyElseMadeIsNeitherUsedNorDestroyed() throws IOException {
    GpuDevices devices = withForeign();
    ImmutableList<MigState.Device> before = found(devices);

    assertThatThrownBy(instance(devices, THERE, CreatedMigDevice.NOTHING)::apply)
        .hasMessage("MIG 1g.5gb at 0 of GPU-0 was not created for this claim");
    compute(devices, THERE, CreatedMigDevice.ALL).undo();
    instance(devices, THERE, CreatedMigDevice.ALL).undo();

    assertThat(found(devices)).isEqualTo(before);
  }

  @Test
  void whatSomebodyElseMadeMeanwhileIsNotUsed() throws IOException {
    PrepareStep instance =
        instance(changed(with(), withForeign()), THERE, CreatedMigDevice.NOTHING);

    assertThatThrownBy(instance::apply)
        .hasMessage("MIG 1g.5gb at 0 of GPU-0 was not created for this claim");
  }

  @Test
  void whatSomebodyElseMadeInThePlaceOfOursIsNotDestroyed() throws IOException {
    GpuDevices now = withForeign();
    ImmutableList<MigState.Device> before = found(now);

    compute(changed(withOurs(), now), THERE, CreatedMigDevice.device("MIG-ours")).undo();
    instance(changed(withOurs(), now), THERE, CreatedMigDevice.device("MIG-ours")).undo();

    assertThat(found(now)).isEqualTo(before);
  }

  @Test
  void whatIsThereStaysKnownByItsUuid() throws IOException {
    Noted noted = new Noted(CreatedMigDevice.device("MIG-ours"));

    new MakeGpuInstance(withOurs(), "GPU-0", THERE, noted, () -> false, () -> false).apply();

    assertThat(noted.made()).isEqualTo(CreatedMigDevice.device("MIG-ours"));
  }

  @Test
  void besideWhatSomebodyElseMadeThereIsRoom() throws IOException {
    GpuDevices devices = withForeign();
    ImmutableList<MigState.Device> before = found(devices);
    PrepareStep instance = instance(devices, BESIDE, CreatedMigDevice.NOTHING);
    PrepareStep compute = compute(devices, BESIDE, CreatedMigDevice.ALL);

    instance.apply();
    compute.apply();
    assertThat(found(devices)).extracting(MigState.Device::slice).contains(THERE, BESIDE);
    compute.undo();
    instance.undo();

    assertThat(found(devices)).isEqualTo(before);
  }

  @Test
  void aGpuThatIsGoneIsNamed() {
    assertThatThrownBy(() -> new SwitchMig(withForeign(), "GPU-9", MigMode.ENABLED).apply())
        .isInstanceOf(IOException.class)
        .hasMessage("the node has no GPU GPU-9");
  }

  @Test
  void whoIsInterruptedDoesNothingToTheGpuAndStaysInterrupted() {
    GpuDevices devices = withForeign();
    PrepareStep step =
        new Locked(new GpuLocks(), "GPU-0", instance(devices, BESIDE, CreatedMigDevice.NOTHING));

    Thread.currentThread().interrupt();
    assertThatThrownBy(step::apply).hasMessage("the plugin is stopping");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(found(devices)).extracting(MigState.Device::slice).containsExactly(THERE);
  }
}
