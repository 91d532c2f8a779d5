package io.gpudra.controller.dashboard;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ExplainTarget;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The dashboard server of one {@code kubectl gpudra dashboard} run. */
public final class Dashboard implements AutoCloseable {
  private final AtomicReference<@Nullable UserView> newest = new AtomicReference<>();
  private final HttpClients http;
  private final PageServer server;
  private final ClusterWatcher clusterWatcher;

  /**
   * Settings of the server.
   *
   * @param port 0 for any free port
   * @param settle the time that a finding must last before it is shown
   */
  record Settings(int port, PageServer.Limits limits, ClusterWatcher.Pace pace, Duration settle) {}

  private Dashboard(
      HttpClients http, KubeSettings settings, String namespace, Settings dashboardSettings)
      throws IOException {
    this.http = http;
    this.server =
        PageServer.open(dashboardSettings.port(), dashboardSettings.limits(), this::explain);
    DashboardStateBuilder dashboardStateBuilder =
        new DashboardStateBuilder(
            settings.driverName(), http.address(), dashboardSettings.settle());
    this.clusterWatcher =
        new ClusterWatcher(
            http,
            settings,
            namespace,
            dashboardSettings.pace(),
            new StateListener(dashboardStateBuilder, newest, server));
  }

  /**
   * Starts the server. The page is filled as the cluster is read.
   *
   * @param namespace that is read where the caller may not list all namespaces
   * @param port 0 for any free port
   * @throws IOException when the port cannot be bound
   */
  public static Dashboard open(HttpClients http, KubeSettings settings, String namespace, int port)
      throws IOException {
    return open(
        http,
        settings,
        namespace,
        new Settings(
            port, PageServer.Limits.USUAL, ClusterWatcher.Pace.USUAL, Duration.ofSeconds(10)));
  }

  static Dashboard open(
      HttpClients http, KubeSettings settings, String namespace, Settings dashboardSettings)
      throws IOException {
    Dashboard dashboard = new Dashboard(http, settings, namespace, dashboardSettings);
    dashboard.clusterWatcher.start();
    return dashboard;
  }

  /**
   * The address for the browser, with the token. It gives access to all objects that the caller may
   * read.
   */
  public String address() {
    return server.address();
  }

  private String explain(ExplainTarget explainTarget) {
    UserView userView = newest.get();
    if (userView == null) {
      return "The cluster has not been read yet.";
    }
    try {
      return ExplainEndpoint.of(http, userView, explainTarget);
    } catch (IOException e) {
      return "The API server does not answer: " + e.getMessage();
    }
  }

  /** Shows each new state. */
  private static final class StateListener implements ClusterWatcher.Listener {
    private final DashboardStateBuilder dashboardStateBuilder;
    private final AtomicReference<@Nullable UserView> newest;
    private final PageServer server;
    private Optional<DashboardState> last = Optional.empty();

    StateListener(
        DashboardStateBuilder dashboardStateBuilder,
        AtomicReference<@Nullable UserView> newest,
        PageServer server) {
      this.dashboardStateBuilder = dashboardStateBuilder;
      this.newest = newest;
      this.server = server;
    }

    @Override
    public void read(UserView userView) {
      newest.set(userView);
      last = Optional.of(dashboardStateBuilder.of(userView));
    }

    @Override
    public void checked(Instant now, String trouble) {
      DashboardState dashboardState =
          last.map(known -> known.at(now, trouble)).orElseGet(() -> DashboardState.empty(trouble));
      last.map(known -> dashboardState).ifPresent(known -> last = Optional.of(known));
      server.show(dashboardState);
    }
  }

  @Override
  public void close() {
    clusterWatcher.close();
    server.close();
  }
}
