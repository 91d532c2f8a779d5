package io.gpudra.kubeletplugin.device.nvidia;

import org.junit.jupiter.api.Tag;

@Tag("nvidia")
class H100OnNvidia550Test extends OnNvidiaLibraryContract {

  H100OnNvidia550Test() {
    super("550", KnownModel.H100);
  }
}
