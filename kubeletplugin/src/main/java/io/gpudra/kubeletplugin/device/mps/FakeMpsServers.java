package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableSet;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Servers without processes, for fake nodes. */
public final class FakeMpsServers implements MpsServers {

  private final Map<String, MpsServer> running = new ConcurrentHashMap<>();

  @Override
  public void start(MpsServer server) {
    running.put(server.name(), server);
  }

  @Override
  public void stop(String name) {
    running.remove(name);
  }

  @Override
  public void stopAll() {
    running.clear();
  }

  @Override
  public MpsPaths paths(String name) {
    return new MpsPaths(Path.of("/mps", name, "pipe"), Path.of("/mps", name, "shm"));
  }

  /** Fake servers never die. */
  @Override
  public void revive() {}

  /** The servers that run now. */
  public ImmutableSet<MpsServer> running() {
    return ImmutableSet.copyOf(running.values());
  }
}
