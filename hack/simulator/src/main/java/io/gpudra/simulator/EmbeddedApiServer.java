package io.gpudra.simulator;

import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.http.ApiServer;
import io.gpudra.simulator.http.Faults;
import io.gpudra.simulator.http.Kubeconfig;
import io.gpudra.simulator.http.RequestLog;
import io.gpudra.simulator.server.ObjectServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An API server with all that belongs to it: objects, garbage collection, the end of namespaces,
 * and HTTP on the loopback interface. Starts in well under a second.
 */
public final class EmbeddedApiServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedApiServer.class);

  private final ObjectServer server;
  private final ApiServer http;
  private final Semaphore work = new Semaphore(0);
  private final Thread follower;
  private volatile boolean closed;

  private EmbeddedApiServer(ObjectServer server, int port) {
    this.server = server;
    this.http = ApiServer.start(server, port);
    server.store().listen(change -> work.release());
    follower = new Thread(this::follow, "garbage-collector");
    follower.setDaemon(true);
    follower.start();
  }

  /**
   * Starts.
   *
   * @param port 0 for any free one
   */
  public static EmbeddedApiServer start(int port) {
    return new EmbeddedApiServer(new ObjectServer(Clock.systemUTC(), new SplittableRandom()), port);
  }

  /**
   * Starts with a short memory, so that watches soon find their revision too old.
   *
   * @param history changes per kind that a watch can resume over
   */
  public static EmbeddedApiServer startForgetful(int port, int history) {
    return new EmbeddedApiServer(
        new ObjectServer(Clock.systemUTC(), new SplittableRandom(), history), port);
  }

  /** The same objects in process. */
  public Api api() {
    return server;
  }

  /** Where it is served. */
  public URI url() {
    return http.url();
  }

  /** As {@link ApiServer#stopServing}; what is in process goes on. */
  public void stopServing() {
    http.stopServing();
  }

  /** As {@link ApiServer#serveAgain}. */
  public void serveAgain() {
    http.serveAgain();
  }

  /** What shall go wrong on the wire. */
  public Faults faults() {
    return http.faults();
  }

  /** What came over the wire. */
  public RequestLog requests() {
    return http.requests();
  }

  /** Writes a kubeconfig that leads here. */
  public void writeKubeconfig(Path file) throws IOException {
    Kubeconfig.write(file, url());
  }

  private void follow() {
    while (!closed) {
      try {
        work.acquire();
        work.drainPermits();
        boolean more = true;
        while (more) {
          more = server.step();
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("garbage collection failed", e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    follower.interrupt();
    http.close();
  }
}
