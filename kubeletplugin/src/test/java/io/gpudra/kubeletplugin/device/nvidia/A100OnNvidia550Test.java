package io.gpudra.kubeletplugin.device.nvidia;

import org.junit.jupiter.api.Tag;

@Tag("nvidia-full")
class A100OnNvidia550Test extends OnNvidiaLibraryContract {

  A100OnNvidia550Test() {
    super("550", KnownModel.A100);
  }
}
