package io.gpudra.kubeletplugin.device.mps;

import io.gpudra.kubeletplugin.device.GpuDevices;
import java.io.IOException;
import java.util.Optional;

/** The servers of a node, each by the name of its first device; see {@link GpuDevices#startMps}. */
public interface MpsServers {

  void start(MpsServer server) throws IOException;

  void stop(String name) throws IOException;

  /** Ends all of them, also those of an earlier process. */
  void stopAll() throws IOException;

  MpsPaths paths(String name);

  /** Why processes wait for the server of that name, if any did when it was last looked at. */
  default Optional<String> queue(String name) {
    return Optional.empty();
  }

  /**
   * Looks at all of them, and starts again what should run and does not. Running containers reach
   * it where they reached the one before; a process of theirs that used that one must begin anew.
   */
  void revive();
}
