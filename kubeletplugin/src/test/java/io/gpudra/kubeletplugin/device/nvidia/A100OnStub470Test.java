package io.gpudra.kubeletplugin.device.nvidia;

import java.nio.file.Path;

class A100OnStub470Test extends DriverContract {

  A100OnStub470Test() {
    super("470", KnownModel.A100);
  }

  @Override
  DriverUnderTest driver(Path root) {
    return DriverUnderTest.OfStub.of(root, driver, model);
  }
}
