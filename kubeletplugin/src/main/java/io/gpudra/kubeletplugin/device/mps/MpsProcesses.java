package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers as processes. They outlive this one, as their clients do, and the next finds them by
 * their directories.
 */
public final class MpsProcesses implements MpsServers {

  private static final Logger log = LoggerFactory.getLogger(MpsProcesses.class);

  /** Fits the kubelet's 45 s, with time left to undo. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path directory;
  private final ImmutableList<String> program;
  private final Duration patience;
  private final Map<String, MpsProcess> servers = new ConcurrentHashMap<>();

  /**
   * Nothing is started yet.
   *
   * @param directory has one directory for each server
   * @param program the command line of a server that stays in the foreground
   * @param patience how long a server may take until it answers
   */
  MpsProcesses(Path directory, ImmutableList<String> program, Duration patience) {
    this.directory = directory;
    this.program = program;
    this.patience = patience;
  }

  /** For devices on paper. */
  public static MpsProcesses fake(Path directory) {
    return new MpsProcesses(directory, fakeProgram(), PATIENCE);
  }

  /** Of the program that runs in place of the real one, with the same virtual machine as we. */
  static ImmutableList<String> fakeProgram() {
    return ImmutableList.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx16m",
        "-Xss256k",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        "-cp",
        System.getProperty("java.class.path"),
        FakeMpsServer.class.getName());
  }

  @Override
  public void start(MpsServer server) throws IOException {
    of(server.name()).start(server);
  }

  @Override
  public void stop(String name) throws IOException {
    of(name).stop();
  }

  @Override
  public void stopAll() throws IOException {
    if (Files.notExists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.list(directory)) {
      for (Path one : all.toList()) {
        stop(one.getFileName().toString());
      }
    }
  }

  @Override
  public MpsPaths paths(String name) {
    return of(name).paths();
  }

  /** Starts again what should run and does not. */
  public void revive() {
    servers.forEach(
        (name, server) -> {
          try {
            if (server.revive()) {
              log.warn("MPS server had ended and was started again name={}", name);
            }
          } catch (IOException e) {
            log.error("MPS server had ended name={} reason=\"{}\"", name, e.getMessage());
          }
        });
  }

  private MpsProcess of(String name) {
    return servers.computeIfAbsent(
        name, key -> new MpsProcess(directory.resolve(key), program, patience));
  }
}
