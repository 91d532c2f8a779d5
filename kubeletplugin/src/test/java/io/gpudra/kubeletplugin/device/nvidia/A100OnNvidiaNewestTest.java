package io.gpudra.kubeletplugin.device.nvidia;

import org.junit.jupiter.api.Tag;

@Tag("nvidia-full")
class A100OnNvidiaNewestTest extends OnNvidiaLibraryContract {

  A100OnNvidiaNewestTest() {
    super("newest", KnownModel.A100);
  }
}
