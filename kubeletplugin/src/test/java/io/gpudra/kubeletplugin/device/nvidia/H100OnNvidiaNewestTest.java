package io.gpudra.kubeletplugin.device.nvidia;

import org.junit.jupiter.api.Tag;

@Tag("nvidia-full")
class H100OnNvidiaNewestTest extends OnNvidiaLibraryContract {

  H100OnNvidiaNewestTest() {
    super("newest", KnownModel.H100);
  }
}
