package io.gpudra.kubeletplugin.device.nvidia;

import org.junit.jupiter.api.Tag;

@Tag("nvidia-full")
class A100OnNvidia535Test extends OnNvidiaLibraryContract {

  A100OnNvidia535Test() {
    super("535", KnownModel.A100);
  }
}
