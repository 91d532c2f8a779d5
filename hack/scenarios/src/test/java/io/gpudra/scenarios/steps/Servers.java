package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableSet;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** The MPS servers of a machine: a directory for each, without which no container of it starts. */
final class Servers implements MpsServers {
  private final Path directory;
  private final Set<String> running = new TreeSet<>();

  Servers(Path directory) {
    this.directory = directory;
  }

  @Override
  public void start(MpsServer server) throws IOException {
    Files.createDirectories(paths(server.name()).pipes());
    Files.createDirectories(paths(server.name()).memory());
    running.add(server.name());
  }

  @Override
  public void stop(String name) throws IOException {
    if (running.remove(name)) {
      MoreFiles.deleteRecursively(directory.resolve(name), RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }

  @Override
  public void stopAll() throws IOException {
    for (String name : running()) {
      stop(name);
    }
  }

  @Override
  public MpsPaths paths(String name) {
    Path own = directory.resolve(name);
    return new MpsPaths(own.resolve("pipe"), own.resolve("shm"));
  }

  /** Names of those that run. */
  ImmutableSet<String> running() {
    return ImmutableSet.copyOf(running);
  }

  /** What dies with its machine nobody misses. */
  @Override
  public void revive() {}
}
