package io.gpudra.kubeletplugin.device.mps;

import io.gpudra.kubeletplugin.device.GpuDevices;
import java.io.IOException;
import java.util.Optional;

/** The servers of a node, each by the name of its first device; see {@link GpuDevices#startMps}. */
public interface MpsServers {

  void start(MpsServer server) throws IOException;

  void stop(String name) throws IOException;

  /** Stops all servers, also those of an earlier process. */
  void stopAll() throws IOException;

  MpsPaths paths(String name);

  /** The reason why processes wait for the server of this name, if any did at the last check. */
  default Optional<String> queue(String name) {
    return Optional.empty();
  }

  /**
   * Checks all servers, and restarts those that should run and do not. Running containers reach a
   * restarted server at the same place; their processes that used the old one must be restarted.
   */
  void revive();
}
