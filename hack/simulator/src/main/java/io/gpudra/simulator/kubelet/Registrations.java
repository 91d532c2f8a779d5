package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.Actor;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.proto.registration.PluginInfo;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the registered plugins equal to the sockets in the registration directory (protocol.md
 * 4.3). A step is one look: a socket that went or was re-created is deregistered, one that is new
 * is registered, a refused one is tried again with growing delay.
 */
final class Registrations implements DraPlugin.Finder, Actor {
  private static final Logger LOG = LoggerFactory.getLogger(Registrations.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration LAST_RETRY = Duration.ofSeconds(122);

  /** One socket file; a re-created one has another identity. */
  private record Socket(Path path, String identity) {}

  private record Refused(int times, Instant retry) {}

  private record Registered(Socket socket, String driver, GrpcPlugin plugin) {}

  private final Map<String, Registered> registered = new ConcurrentHashMap<>();
  private final Map<Socket, Refused> refused =
      new TreeMap<>(Comparator.comparing(Socket::toString));
  private final PluginSockets sockets = new PluginSockets();
  private final Path directory;
  private final Timings timings;
  private final Profile profile;
  private final InstantSource clock;
  private volatile Instant nextScan = Instant.MIN;

  Registrations(Path kubeletDir, Timings timings, Profile profile, InstantSource clock) {
    this.directory = kubeletDir.resolve("plugins_registry");
    this.timings = timings;
    this.profile = profile;
    this.clock = clock;
  }

  @Override
  public Optional<DraPlugin> find(String driver) {
    return Optional.ofNullable(registered.get(driver)).map(Registered::plugin);
  }

  @Override
  public boolean step() {
    Instant now = clock.instant();
    if (now.isBefore(nextScan)) {
      return false;
    }
    nextScan = now.plus(timings.registrationScan());
    List<Socket> present = scan();
    List<Socket> before = registered.values().stream().map(Registered::socket).toList();
    registered.values().removeIf(known -> !present.contains(known.socket()) && close(known));
    refused.keySet().retainAll(present);
    for (Socket socket : present) {
      boolean known = before.contains(socket);
      // A re-created socket is registered at the next look, as by the real reconciler.
      boolean replaced =
          before.stream().anyMatch(old -> !known && old.path().equals(socket.path()));
      boolean early = refused.containsKey(socket) && now.isBefore(refused.get(socket).retry());
      if (!known && !replaced && !early) {
        register(socket, now);
      }
    }
    return true;
  }

  private static boolean close(Registered known) {
    LOG.info("plugin deregistered driver={}", known.driver());
    known.plugin().close();
    return true;
  }

  private List<Socket> scan() {
    List<Socket> sockets = new ArrayList<>();
    try (Stream<Path> files = Files.isDirectory(directory) ? Files.walk(directory) : Stream.of()) {
      for (Path path : files.sorted().toList()) {
        if (!path.getFileName().toString().startsWith(".")) {
          identify(path).ifPresent(sockets::add);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.debug("registration directory changed while it was read", e);
    }
    return sockets;
  }

  private static Optional<Socket> identify(Path path) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      String identity = attributes.fileKey() + " " + attributes.creationTime();
      return attributes.isOther() ? Optional.of(new Socket(path, identity)) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private void register(Socket socket, Instant now) {
    Optional<String> failure = tryRegister(socket);
    if (failure.isEmpty()) {
      refused.remove(socket);
      return;
    }
    Refused last = refused.getOrDefault(socket, new Refused(0, now));
    Duration delay = FIRST_RETRY.multipliedBy(1L << Math.min(last.times(), 10));
    Duration bounded = delay.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : delay;
    refused.put(socket, new Refused(last.times() + 1, now.plus(bounded)));
    LOG.warn("plugin not registered socket={} reason={}", socket.path(), failure.get());
  }

  /** Why the plugin is not registered. */
  private Optional<String> tryRegister(Socket socket) {
    try {
      PluginInfo info = sockets.getInfo(socket.path());
      String name = info.getName();
      Optional<String> problem = PluginSockets.problem(info, registered.containsKey(name));
      if (problem.isPresent()) {
        sockets.tell(socket.path(), problem);
        return problem;
      }
      Path endpoint = info.getEndpoint().isEmpty() ? socket.path() : Path.of(info.getEndpoint());
      GrpcPlugin plugin =
          new GrpcPlugin(sockets.open(endpoint), timings.rpcDeadline(), profile == Profile.V1_27);
      registered.put(name, new Registered(socket, name, plugin));
      if (profile == Profile.V1_30) {
        plugin.listAndWatch();
      }
      sockets.tell(socket.path(), Optional.empty());
      LOG.info("plugin registered driver={} endpoint={}", name, endpoint);
      return Optional.empty();
    } catch (StatusRuntimeException e) {
      registered.values().removeIf(known -> known.socket().equals(socket) && close(known));
      return Optional.of(e.getStatus().toString());
    }
  }

  @Override
  public Optional<Instant> nextDue() {
    return Optional.of(nextScan);
  }

  @Override
  public void awaitWork(Duration atMost) throws InterruptedException {
    long millis = Duration.between(clock.instant(), nextScan).toMillis() + 1;
    Thread.sleep(Math.max(1, Math.min(millis, atMost.toMillis())));
  }

  @Override
  public void close() {
    registered.values().removeIf(Registrations::close);
    sockets.close();
  }
}
