package io.gpudra.kubeletplugin.device.nvidia;

import org.junit.jupiter.api.Tag;

@Tag("nvidia")
class A100OnNvidia470Test extends OnNvidiaLibraryContract {

  A100OnNvidia470Test() {
    super("470", KnownModel.A100);
  }
}
