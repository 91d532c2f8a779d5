package io.gpudra.kubeletplugin.app;

import java.nio.file.Path;

/** The files of a state directory. */
record StateFiles(Path directory) {

  Path checkpoint() {
    return directory.resolve("checkpoint.json");
  }

  /** The faults of fake devices; optional. */
  Path faults() {
    return directory.resolve("faults.json");
  }

  /** The health of the devices of a driver. */
  Path health() {
    return directory.resolve("health.json");
  }

  /** The known devices of a driver. */
  Path gpus() {
    return directory.resolve("gpus.json");
  }

  /** The MIG devices of fake GPUs. */
  Path devices() {
    return directory.resolve("devices.json");
  }

  /** The directories through which MPS servers and clients communicate. */
  Path mps() {
    return directory.resolve("mps");
  }
}
