package io.gpudra.kubeletplugin.device.mps;

import io.gpudra.kubeletplugin.device.Devices;
import java.io.IOException;

/** The servers of a node, each by the name of its first device; see {@link Devices#startMps}. */
public interface MpsServers {

  void start(MpsServer server) throws IOException;

  void stop(String name) throws IOException;

  /** Ends all of them, also those of an earlier process. */
  void stopAll() throws IOException;

  MpsPaths paths(String name);

  /**
   * Starts again what should run and does not. Running containers reach it where they reached the
   * one before; a process of theirs that used that one must begin anew.
   */
  void revive();
}
