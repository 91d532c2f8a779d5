package io.gpudra.controller.cli;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.check.command.ClusterConnection;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.crds.model.DriverName;
import io.gpudra.process.DurationText;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Options for cluster and namespace, with the names that kubectl uses. */
public final class ClusterOptions implements ClusterConnection {
  private static final String AGENT = "kubectl-gpudra";
  private static final String DEFAULT_NAMESPACE = "default";

  @Option(
      names = "--kubeconfig",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      description = "kubeconfig file (default: as kubectl)")
  @Nullable Path kubeconfig;

  @Option(
      names = "--context",
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description = "context of the kubeconfig (default: the current one)")
  @Nullable String context;

  @Option(
      names = {"-n", "--namespace"},
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description = "namespace (default: that of the context)")
  @Nullable String namespace;

  @Option(
      names = {"-A", "--all-namespaces"},
      scope = ScopeType.INHERIT,
      description = "all namespaces")
  boolean allNamespaces;

  @Option(
      names = "--driver-name",
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      defaultValue = "${env:DRIVER_NAME:-gpu.resource.example.com}",
      description = "driver name in ResourceClasses (env DRIVER_NAME; default: ${DEFAULT-VALUE})")
  String driverName = "";

  @Option(
      names = "--request-timeout",
      scope = ScopeType.INHERIT,
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "10s",
      description = "timeout of one API server call (default: ${DEFAULT-VALUE})")
  Duration timeout = Duration.ZERO;

  @Override
  public String driverName() {
    return driverName;
  }

  @Override
  public ImmutableList<String> problems() {
    return DriverName.problem(driverName).map(ImmutableList::of).orElseGet(ImmutableList::of);
  }

  @Override
  public HttpClients connect() throws IOException {
    Optional<KubeConfig> config = config();
    return config.isPresent()
        ? HttpClients.connect(config.get(), AGENT, timeout)
        : HttpClients.connect(Optional.empty(), timeout, new MetricRegistry());
  }

  /** The selected namespace; empty if all are. */
  public String namespaceOrAll() throws IOException {
    return allNamespaces ? "" : namespace();
  }

  /**
   * The namespace of the option, of the context, or {@code default}.
   *
   * @throws IOException when the kubeconfig cannot be read
   */
  String namespace() throws IOException {
    if (namespace != null) {
      return namespace;
    }
    return config()
        .map(KubeConfig::getNamespace)
        .filter(name -> !name.isEmpty())
        .orElse(DEFAULT_NAMESPACE);
  }

  /** Whether an option selects a namespace or all namespaces. */
  boolean namesNamespaces() {
    return namespace != null || allNamespaces;
  }

  /** Empty if there is no file; the process may run in a pod. */
  private Optional<KubeConfig> config() throws IOException {
    ImmutableList<Path> files =
        KubeconfigLoader.files(
            Optional.ofNullable(kubeconfig), ImmutableMap.copyOf(System.getenv()));
    return files.isEmpty()
        ? Optional.empty()
        : Optional.of(KubeconfigLoader.load(files, Optional.ofNullable(context)));
  }
}
