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

  /** The health of devices of a driver. */
  Path health() {
    return directory.resolve("health.json");
  }

  /** Which devices of a driver there are. */
  Path gpus() {
    return directory.resolve("gpus.json");
  }

  /** The MIG devices of fake GPUs. */
  Path devices() {
    return directory.resolve("devices.json");
  }

  /** The directories in which MPS servers meet their clients. */
  Path mps() {
    return directory.resolve("mps");
  }
}
