package io.gpudra.kubeletplugin.device.nvidia;

import java.nio.file.Path;

class H100OnStubTest extends DriverContract {

  H100OnStubTest() {
    super("550", KnownModel.H100);
  }

  @Override
  DriverUnderTest driver(Path root) {
    return DriverUnderTest.OfStub.of(root, driver, model);
  }
}
