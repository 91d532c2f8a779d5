package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import java.io.IOException;
import java.util.Optional;

/** The GPUs of a machine, in the hands of a process that can die. */
record FragileDevices(Machine machine, Machine.Life life, FakeDevices hardware)
    implements GpuDevices {

  @Override
  public ImmutableList<Gpu> gpus() {
    return hardware.gpus();
  }

  @Override
  public ImmutableList<GpuLink> links() {
    return hardware.links();
  }

  @Override
  public String driverVersion() {
    return hardware.driverVersion();
  }

  @Override
  public String cudaDriverVersion() {
    return hardware.cudaDriverVersion();
  }

  @Override
  public void setUp(String uuid) throws IOException {
    machine.around(life, "setUp", () -> hardware.setUp(uuid));
  }

  @Override
  public void tearDown(String uuid) throws IOException {
    machine.around(life, "tearDown", () -> hardware.tearDown(uuid));
  }

  @Override
  public void setMigMode(String uuid, MigMode mode) throws IOException {
    machine.around(life, "setMigMode", () -> hardware.setMigMode(uuid, mode));
  }

  @Override
  public void makeGpuInstance(String uuid, Slice instance) throws IOException {
    machine.around(life, "makeGpuInstance", () -> hardware.makeGpuInstance(uuid, instance));
  }

  @Override
  public void destroyGpuInstance(String uuid, Slice instance) throws IOException {
    machine.around(life, "destroyGpuInstance", () -> hardware.destroyGpuInstance(uuid, instance));
  }

  @Override
  public void makeComputeInstance(String uuid, Slice slice) throws IOException {
    machine.around(life, "makeComputeInstance", () -> hardware.makeComputeInstance(uuid, slice));
  }

  @Override
  public void destroyComputeInstance(String uuid, Slice slice) throws IOException {
    machine.around(
        life, "destroyComputeInstance", () -> hardware.destroyComputeInstance(uuid, slice));
  }

  @Override
  public void setTimeSlice(String uuid, Interval interval) throws IOException {
    machine.around(life, "setTimeSlice", () -> hardware.setTimeSlice(uuid, interval));
  }

  @Override
  public void setComputeMode(String uuid, ComputeMode mode) throws IOException {
    machine.around(life, "setComputeMode", () -> hardware.setComputeMode(uuid, mode));
  }

  @Override
  public void startMps(MpsServer server) throws IOException {
    machine.around(life, "startMps", () -> hardware.startMps(server));
  }

  @Override
  public void stopMps(String name) throws IOException {
    machine.around(life, "stopMps", () -> hardware.stopMps(name));
  }

  @Override
  public void reviveMps() {
    hardware.reviveMps();
  }

  @Override
  public MpsPaths mpsPaths(String name) {
    return hardware.mpsPaths(name);
  }

  @Override
  public ContainerEdits driverEdits() {
    return hardware.driverEdits();
  }

  @Override
  public ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) {
    return hardware.deviceEdits(uuid, slice);
  }

  @Override
  public void reset() throws IOException {
    machine.around(life, "reset", hardware::reset);
  }
}
