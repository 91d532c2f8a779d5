package io.gpudra.kubeletplugin.app;

import java.nio.file.Path;

/** What is where in a state directory. */
record StateFiles(Path directory) {

  Path checkpoint() {
    return directory.resolve("checkpoint.json");
  }

  /** Says what goes wrong with devices on paper; need not be there. */
  Path faults() {
    return directory.resolve("faults.json");
  }

  /** What is wrong with devices of a driver. */
  Path health() {
    return directory.resolve("health.json");
  }

  /** Which devices of a driver there are. */
  Path gpus() {
    return directory.resolve("gpus.json");
  }

  /** How devices on paper are cut. */
  Path devices() {
    return directory.resolve("devices.json");
  }

  /** Where MPS servers meet their clients. */
  Path mps() {
    return directory.resolve("mps");
  }
}
