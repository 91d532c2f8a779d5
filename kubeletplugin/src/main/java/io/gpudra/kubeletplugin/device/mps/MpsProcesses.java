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
 * Servers as processes. A server that outlives this process is found by its directory. A server
 * that died, or that the container runtime ended with this process, is restarted with the same
 * pipes and the same memory, which running containers have mounted. Their processes that used the
 * old server get errors from CUDA and must be restarted; new processes find the new server.
 */
public final class MpsProcesses implements MpsServers {

  private static final Logger log = LoggerFactory.getLogger(MpsProcesses.class);

  /**
   * The name becomes that of a directory; devices have no other names, so no UUID becomes a path.
   */
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9.-]{0,62}");

  /** The limit fits the kubelet's 45 s, with time left to undo. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Path directory;
  private final MpsControl control;
  private final Duration patience;
  private final Map<String, MpsProcess> servers = new ConcurrentHashMap<>();

  /** The reasons why processes wait, by the server's name. */
  private final Map<String, String> queues = new ConcurrentHashMap<>();

  /**
   * Servers that are not started yet.
   *
   * @param directory has one directory for each server
   * @param control of all servers
   * @param patience the maximum time until a server answers
   */
  MpsProcesses(Path directory, MpsControl control, Duration patience) {
    this.directory = directory.toAbsolutePath();
    this.control = control;
    this.patience = patience;
  }

  /** Servers for fake devices. */
  public static MpsProcesses fake(Path directory) {
    return new MpsProcesses(directory, new FakeMpsControl(), TIMEOUT);
  }

  /**
   * Servers for devices of a driver.
   *
   * @param root of a whole system, which becomes the root of the servers' program
   * @param program {@code nvidia-cuda-mps-control}, as in that system
   * @param libraries the directory of the driver's libraries in that system, if its linker does not
   *     know it
   */
  public static MpsProcesses nvidia(
      Path directory, Path root, Path program, Optional<Path> libraries) {
    return new MpsProcesses(directory, new NvidiaMpsControl(root, program, libraries), TIMEOUT);
  }

  @Override
  public void start(MpsServer server) throws IOException {
    of(server.name()).start(server);
  }

  /** Does nothing for a name that no device has, since no server was started by it. */
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
