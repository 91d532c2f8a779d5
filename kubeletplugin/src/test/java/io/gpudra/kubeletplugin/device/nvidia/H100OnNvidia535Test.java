package io.gpudra.kubeletplugin.device.nvidia;

import org.junit.jupiter.api.Tag;

@Tag("nvidia-full")
class H100OnNvidia535Test extends OnNvidiaLibraryContract {

  H100OnNvidia535Test() {
    super("535", KnownModel.H100);
  }
}
