package io.gpudra.simulator.http;

import io.gpudra.simulator.server.ObjectServer;
import io.gpudra.simulator.store.Store;
import java.net.URI;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Serves an {@link ObjectServer} over plain HTTP on the loopback interface. */
public final class ApiServer implements AutoCloseable {
  private static final int THREADS = 200;

  private final Faults faults = new Faults();
  private final RequestLog requests = new RequestLog();
  private final Server jetty;
  private final ServerConnector connector;
  private final HttpApi api;
  private final Store store;

  private ApiServer(ObjectServer server, int port) {
    store = server.store();
    QueuedThreadPool threads = new QueuedThreadPool(THREADS);
    threads.setName("apiserver");
    threads.setDaemon(true);
    jetty = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    connector = new ServerConnector(jetty, new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    // A quiet watch is not an idle connection.
    connector.setIdleTimeout(0);
    jetty.addConnector(connector);
    api = new HttpApi(server, faults, requests);
    jetty.setHandler(api);
  }

  /**
   * Starts serving.
   *
   * @param port 0 for any free port
   * @throws IllegalStateException if the port is not available
   */
  public static ApiServer start(ObjectServer server, int port) {
    ApiServer started = new ApiServer(server, port);
    started.startJetty();
    return started;
  }

  private void startJetty() {
    try {
      jetty.start();
    } catch (Exception e) {
      throw new IllegalStateException("cannot serve on port " + connector.getPort(), e);
    }
  }

  private void stopJetty() {
    try {
      jetty.stop();
    } catch (Exception e) {
      throw new IllegalStateException("cannot stop serving", e);
    }
  }

  /** Simulates an outage: closes connections and refuses new ones until {@link #serveAgain}. */
  public void stopServing() {
    connector.setPort(connector.getLocalPort());
    faults.cutWatches();
    faults.release();
    stopJetty();
  }

  /** Simulates a restart: objects are kept, but watches cannot resume. */
  public void serveAgain() {
    store.forget();
    startJetty();
  }

  /** Its address. */
  public URI url() {
    return URI.create("http://127.0.0.1:" + connector.getLocalPort());
  }

  /** Faults to inject. */
  public Faults faults() {
    return faults;
  }

  /** Log of all requests. */
  public RequestLog requests() {
    return requests;
  }

  @Override
  public void close() {
    faults.cutWatches();
    api.stopWatches();
    stopJetty();
  }
}
