package io.gpudra.kubeletplugin.device.mps;

import java.io.IOException;
import java.nio.file.Path;

/** Used when the driver has no program for servers. */
public final class NoMps implements MpsServers {

  @Override
  public void start(MpsServer server) throws IOException {
    throw new IOException("there is no MPS server for %s on this node".formatted(server.name()));
  }

  @Override
  public void stop(String name) {}

  @Override
  public void stopAll() {}

  @Override
  public MpsPaths paths(String name) {
    return new MpsPaths(Path.of("/none"), Path.of("/none"));
  }

  @Override
  public void revive() {}
}
