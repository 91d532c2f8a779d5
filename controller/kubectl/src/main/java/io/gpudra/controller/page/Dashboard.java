package io.gpudra.controller.page;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.explain.Asked;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The page while it is served. */
public final class Dashboard implements AutoCloseable {
  private final AtomicReference<@Nullable Sight> newest = new AtomicReference<>();
  private final HttpClients http;
  private final PageServer server;
  private final Reading reading;

  /**
   * How it is served.
   *
   * @param port 0 for any free one
   * @param settle so long a finding has to last until it is shown
   */
  record Manner(int port, PageServer.Limits limits, Reading.Pace pace, Duration settle) {}

  private Dashboard(HttpClients http, KubeSettings settings, String namespace, Manner manner)
      throws IOException {
    this.http = http;
    this.server = PageServer.open(manner.port(), manner.limits(), this::explain);
    Scenes scenes = new Scenes(settings.driverName(), http.address(), manner.settle());
    this.reading =
        new Reading(http, settings, namespace, manner.pace(), new Shown(scenes, newest, server));
  }

  /**
   * Serves it at once; it fills as the cluster is read.
   *
   * @param namespace where to look for what may not be read of all namespaces
   * @param port 0 for any free one
   * @throws IOException when the port cannot be bound
   */
  public static Dashboard open(HttpClients http, KubeSettings settings, String namespace, int port)
      throws IOException {
    return open(
        http,
        settings,
        namespace,
        new Manner(port, PageServer.Limits.USUAL, Reading.Pace.USUAL, Duration.ofSeconds(10)));
  }

  static Dashboard open(HttpClients http, KubeSettings settings, String namespace, Manner manner)
      throws IOException {
    Dashboard dashboard = new Dashboard(http, settings, namespace, manner);
    dashboard.reading.start();
    return dashboard;
  }

  /** Where a browser is to begin; whoever has it sees what the caller may see. */
  public String address() {
    return server.address();
  }

  private String explain(Asked asked) {
    Sight sight = newest.get();
    if (sight == null) {
      return "The cluster has not been read yet.";
    }
    try {
      return Telling.of(http, sight, asked);
    } catch (IOException e) {
      return "The API server does not answer: " + e.getMessage();
    }
  }

  /** Goes on from one scene to the next. */
  private static final class Shown implements Reading.Listener {
    private final Scenes scenes;
    private final AtomicReference<@Nullable Sight> newest;
    private final PageServer server;
    private Optional<Scene> last = Optional.empty();

    Shown(Scenes scenes, AtomicReference<@Nullable Sight> newest, PageServer server) {
      this.scenes = scenes;
      this.newest = newest;
      this.server = server;
    }

    @Override
    public void read(Sight sight) {
      newest.set(sight);
      last = Optional.of(scenes.of(sight));
    }

    @Override
    public void checked(Instant now, String trouble) {
      Scene scene = last.map(known -> known.at(now, trouble)).orElseGet(() -> Scene.empty(trouble));
      last.map(known -> scene).ifPresent(known -> last = Optional.of(known));
      server.show(scene);
    }
  }

  @Override
  public void close() {
    reading.close();
    server.close();
  }
}
