package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Gpu;
import io.gpudra.kubeletplugin.device.Devices;
import io.gpudra.kubeletplugin.device.FakeDevices;
import java.io.IOException;

/** The first GPUs of a machine, in the hands of a process that can die. */
record FragileDevices(
    Machine machine, Machine.Life life, FakeDevices hardware, ImmutableList<Gpu> gpus)
    implements Devices {

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
  public void reset() throws IOException {
    machine.around(life, "reset", hardware::reset);
  }
}
