package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.Actor;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.proto.registration.PluginInfo;
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
 * Keeps the registered plugins equal to the sockets in the registration directory (protocol 4.3). A
 * step is one look: a socket that went or was re-created is deregistered, one that is new is
 * registered, a refused one is tried again with growing delay.
 */
final class Registrations implements Plugins, Actor {
  private static final Logger LOG = LoggerFactory.getLogger(Registrations.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration LAST_RETRY = Duration.ofSeconds(122);
  private static final Duration STREAM_RETRY = Duration.ofSeconds(5);

  /** One socket file; a re-created one has another identity. */
  private record Socket(Path path, String identity) {}

  private record Refused(int times, Instant retry) {}

  private record Registered(Socket socket, String driver, GrpcPlugin plugin) {}

  private final Map<String, Registered> registered = new ConcurrentHashMap<>();
  private final Map<String, Instant> streamRetries = new ConcurrentHashMap<>();
  private final Map<Socket, Refused> refused =
      new TreeMap<>(Comparator.comparing(Socket::toString));
  private final UnixChannels channels = new UnixChannels();
  private final RegistrationCall calls = new RegistrationCall(channels);
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
    registered.values().removeIf(known -> vanished(known, present));
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
    retryStreams(now);
    return true;
  }

  private static boolean vanished(Registered known, List<Socket> present) {
    if (present.contains(known.socket())) {
      return false;
    }
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

  private Optional<String> tryRegister(Socket socket) {
    RegistrationCall.Answer answer = calls.getInfo(socket.path());
    if (answer.info().isEmpty()) {
      return Optional.of(answer.problem());
    }
    PluginInfo info = answer.info().get();
    boolean taken = registered.containsKey(info.getName());
    Optional<String> problem = RegistrationRules.problem(info, taken);
    if (problem.isPresent()) {
      return calls.tell(socket.path(), problem).or(() -> problem);
    }
    Path endpoint = info.getEndpoint().isEmpty() ? socket.path() : Path.of(info.getEndpoint());
    GrpcPlugin plugin =
        new GrpcPlugin(channels.open(endpoint), timings.rpcDeadline(), profile == Profile.V1_27);
    registered.put(info.getName(), new Registered(socket, info.getName(), plugin));
    if (profile == Profile.V1_30) {
      openStream(info.getName(), plugin);
    }
    Optional<String> unheard = calls.tell(socket.path(), Optional.empty());
    if (unheard.isPresent()) {
      registered.remove(info.getName());
      plugin.close();
    } else {
      LOG.info("plugin registered driver={} endpoint={}", info.getName(), endpoint);
    }
    return unheard;
  }

  private void openStream(String driver, GrpcPlugin plugin) {
    plugin.listAndWatch(() -> streamRetries.put(driver, clock.instant().plus(STREAM_RETRY)));
  }

  private void retryStreams(Instant now) {
    streamRetries
        .entrySet()
        .removeIf(
            entry -> {
              Registered known = registered.get(entry.getKey());
              boolean due = !now.isBefore(entry.getValue());
              if (due && known != null) {
                openStream(entry.getKey(), known.plugin());
              }
              return due || known == null;
            });
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
    registered.values().forEach(known -> known.plugin().close());
    registered.clear();
    channels.close();
  }
}
