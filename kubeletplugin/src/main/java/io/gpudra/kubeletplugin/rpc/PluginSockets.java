package io.gpudra.kubeletplugin.rpc;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two sockets for the kubelet: it finds the registration socket by its file, and learns from it
 * the path of the DRA socket.
 */
public final class PluginSockets implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PluginSockets.class);
  private static final Duration REGISTRATION_GRACE = Duration.ofSeconds(1);
  private static final Duration DRA_GRACE = Duration.ofSeconds(5);

  /** The maximum time of {@link #close}. */
  public static final Duration MAX_STOP =
      UnixGrpcServer.longestStop(REGISTRATION_GRACE)
          .plus(UnixGrpcServer.longestStop(DRA_GRACE))
          .plus(RpcThreads.MAX_STOP);

  private final SocketPaths paths;
  private final RpcThreads threads = new RpcThreads();
  private final ClaimCalls calls;
  private final RegistrationService registrar;
  private Optional<UnixGrpcServer> dra = Optional.empty();
  private Optional<UnixGrpcServer> registration = Optional.empty();
  private volatile boolean opened;
  private volatile boolean closed;

  private PluginSockets(
      SocketPaths paths, ClaimCalls calls, Consumer<KubeletRegistration> listener) {
    this.paths = paths;
    this.calls = calls;
    this.registrar = new RegistrationService(paths, listener);
  }

  /**
   * Sockets that the kubelet does not see before {@link #open}.
   *
   * @param listener called, on a thread of the call, with the registration status
   */
  public static PluginSockets unopened(
      SocketPaths paths, ClaimCalls calls, Consumer<KubeletRegistration> listener) {
    return new PluginSockets(paths, calls, listener);
  }

  /**
   * Creates the sockets, once; a second call does nothing. DRA is first: the kubelet calls it as
   * soon as it sees the registration socket.
   *
   * @throws IOException naming the socket that cannot be created; to be retried
   */
  public synchronized void open() throws IOException {
    if (closed || registration.isPresent()) {
      return;
    }
    if (dra.isEmpty()) {
      startDra();
    }
    startRegistration();
    opened = true;
  }

  private synchronized void startDra() throws IOException {
    dra =
        Optional.of(
            UnixGrpcServer.start(
                paths.dra(),
                ImmutableList.of(new DraV1Alpha3(calls), new DraV1Alpha2(calls)),
                threads,
                DRA_GRACE));
  }

  private synchronized void startRegistration() throws IOException {
    registration =
        Optional.of(
            UnixGrpcServer.start(
                paths.registration(), ImmutableList.of(registrar), threads, REGISTRATION_GRACE));
  }

  /**
   * Recreates sockets whose files were removed. A new registration socket makes the kubelet connect
   * to both again.
   *
   * @throws IOException naming the socket that cannot be created; to be retried
   */
  public synchronized void restoreLost() throws IOException {
    if (closed || !opened) {
      return;
    }
    boolean draLost = dra.map(UnixGrpcServer::lost).orElse(true);
    if (draLost || registration.map(UnixGrpcServer::lost).orElse(true)) {
      log.warn("socket file was removed, recreating it driver={}", paths.driverName());
      stop(registration);
      registration = Optional.empty();
      if (draLost) {
        stop(dra);
        dra = Optional.empty();
        startDra();
      }
      startRegistration();
    }
  }

  /** Whether both sockets, once they are open, answer calls within the given time. */
  public boolean answer(Duration within) {
    return !closed && (!opened || new SocketProbe(paths, threads.io()).answer(within));
  }

  /** Registration first, so that the kubelet stops calling; running calls get some seconds. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    stop(registration);
    stop(dra);
    threads.close();
  }

  private static void stop(Optional<UnixGrpcServer> server) {
    try {
      if (server.isPresent()) {
        server.get().close();
      }
    } catch (IOException e) {
      log.warn("cannot remove a socket file error=\"{}\"", e.getMessage());
    }
  }
}
