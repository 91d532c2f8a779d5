package io.gpudra.kubeletplugin.device.mps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers as processes. One that outlives this process is found by its directory; one that died, or
 * was ended with this process by the container runtime, is started again among the same pipes and
 * with the same memory, which running containers have mounted. Their processes that used the old
 * one get errors from CUDA and must begin anew; those that they start then find the new one.
 */
public final class MpsProcesses implements MpsServers {

  private static final Logger log = LoggerFactory.getLogger(MpsProcesses.class);

  /**
   * Becomes the name of a directory; devices have no other names (of UUIDs none becomes a path).
   */
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9.-]{0,62}");

  /** Fits the kubelet's 45 s, with time left to undo. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path directory;
  private final MpsControl control;
  private final Duration patience;
  private final Map<String, MpsProcess> servers = new ConcurrentHashMap<>();

  /** Why processes wait, by the server's name. */
  private final Map<String, String> queues = new ConcurrentHashMap<>();

  /**
   * Nothing is started yet.
   *
   * @param directory has one directory for each server
   * @param control of all of them
   * @param patience how long a server may take until it answers
   */
  MpsProcesses(Path directory, MpsControl control, Duration patience) {
    this.directory = directory.toAbsolutePath();
    this.control = control;
    this.patience = patience;
  }

  /** Servers for fake devices. */
  public static MpsProcesses fake(Path directory) {
    return new MpsProcesses(directory, new FakeMpsControl(), PATIENCE);
  }

  /**
   * For devices of a driver.
   *
   * @param root of a whole system, which the program of the servers has as its own
   * @param program {@code nvidia-cuda-mps-control}, as that system has it
   * @param libraries the directory of the driver's libraries there, where the system does not know
   *     it itself
   */
  public static MpsProcesses nvidia(
      Path directory, Path root, Path program, Optional<Path> libraries) {
    return new MpsProcesses(directory, new NvidiaMpsControl(root, program, libraries), PATIENCE);
  }

  @Override
  public void start(MpsServer server) throws IOException {
    of(server.name()).start(server);
  }

  /** By a name that no device has nothing was started. */
  @Override
  public void stop(String name) throws IOException {
    if (NAME.matcher(name).matches()) {
      of(name).stop();
      queues.remove(name);
    } else {
      log.warn("no MPS server can have this name name=\"{}\"", name);
    }
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

  @Override
  public void revive() {
    servers.forEach(
        (name, server) -> {
          try {
            if (server.revive()) {
              log.warn("restarted an MPS server that had ended name={}", name);
            }
            note(name, server.queue().map(ControlLog.Queue::text));
          } catch (IOException e) {
            log.error("MPS server had ended name={} reason=\"{}\"", name, e.getMessage());
          }
        });
  }

  private void note(String name, Optional<String> queue) {
    Optional<String> before =
        Optional.ofNullable(
            queue.isPresent() ? queues.put(name, queue.get()) : queues.remove(name));
    queue
        .filter(text -> !Optional.of(text).equals(before))
        .ifPresent(text -> log.warn("MPS server has a queue name={} why=\"{}\"", name, text));
  }

  @Override
  public Optional<String> queue(String name) {
    return Optional.ofNullable(queues.get(name));
  }

  private MpsProcess of(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "MPS server \"%s\": a name must match %s".formatted(name, NAME));
    }
    return servers.computeIfAbsent(
        name, key -> new MpsProcess(directory.resolve(key), control, patience));
  }
}
