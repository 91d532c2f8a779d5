package io.gpudra.scenarios.real;

import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.process.Child;
import io.gpudra.scenarios.process.Children;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Health;
import io.gpudra.scenarios.run.Wait;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The cluster that {@code hack/cluster/up} has started.
 *
 * @param client talks to its API server as its administrator
 * @param kubectl as its administrator
 * @param node {@code hack/cluster/node}
 */
public record RealCluster(ClusterClient client, Commands kubectl, Commands node, Children children)
    implements Health {
  private static final String PROXY = "kubectl-proxy";
  private static final Duration START_LIMIT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Pattern SERVING = Pattern.compile("Starting to serve on (\\S+)");

  /**
   * Connects to it until the {@link AtExit} is closed.
   *
   * @param root of the repository
   * @param logs where the proxy's output goes
   * @throws IOException when kubectl cannot be started or says nothing
   */
  public static RealCluster connect(Path root, Path logs, AtExit atExit)
      throws IOException, InterruptedException {
    String kubectl = root.resolve("hack/cluster/kubectl").toString();
    Children children = atExit.add(new Children(logs));
    return new RealCluster(
        new ClusterClient(proxy(ImmutableList.of(kubectl), children)),
        new Commands(ImmutableList.of(kubectl)),
        new Commands(ImmutableList.of(root.resolve("hack/cluster/node").toString())),
        children);
  }

  /** Where a new {@code kubectl proxy} serves. */
  static URI proxy(ImmutableList<String> kubectl, Children children)
      throws IOException, InterruptedException {
    ImmutableList<String> command =
        ImmutableList.<String>builder().addAll(kubectl).add("proxy", "--port=0").build();
    return address(children.start(PROXY, command), children);
  }

  private static URI address(Child proxy, Children children)
      throws IOException, InterruptedException {
    ImmutableList<String> problems =
        new Wait(START_LIMIT, PAUSE, children::fault)
            .until(
                () ->
                    proxy.said(SERVING).isPresent()
                        ? ImmutableList.of()
                        : ImmutableList.of("kubectl proxy does not serve"));
    return proxy
        .said(SERVING)
        .map(address -> URI.create("http://" + address))
        .orElseThrow(() -> new IOException(String.join("; ", problems)));
  }

  /** What is to be seen on the nodes. */
  public RealNodes nodes() {
    return new RealNodes(client, node);
  }

  @Override
  public Optional<String> fault() {
    return children.fault();
  }
}
