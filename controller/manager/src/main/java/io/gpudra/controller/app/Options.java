package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.election.ElectionTiming;
import io.gpudra.crds.model.DriverName;
import io.gpudra.process.DurationText;
import io.gpudra.process.PortNumber;
import io.gpudra.process.PortOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command line, with the environment behind it. Read once at start. */
final class Options {

  private static final int MOST_WORKERS = 64;

  @Option(
      names = "--driver-name",
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      defaultValue = "${env:DRIVER_NAME:-gpu.resource.example.com}",
      description = "name that ResourceClasses carry (env DRIVER_NAME; default: ${DEFAULT-VALUE})")
  String driverName = "";

  @Option(
      names = "--kubeconfig",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      defaultValue = "${env:KUBECONFIG}",
      description = "how to reach the cluster; in a pod its own one (env KUBECONFIG)")
  @Nullable Path kubeconfig;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      defaultValue = "${env:POD_NAMESPACE:-gpudra}",
      description = "where the lease is kept (env POD_NAMESPACE; default: ${DEFAULT-VALUE})")
  String namespace = "";

  @Option(
      names = "--lease-name",
      paramLabel = "NAME",
      defaultValue = "${env:LEASE_NAME}",
      description = "lease of the leader (env LEASE_NAME; default: the driver's name)")
  @Nullable String leaseName;

  @Option(
      names = "--identity",
      paramLabel = "NAME",
      defaultValue = "${env:POD_NAME}",
      description =
          "who this process is in the lease; no two may be the same"
              + " (env POD_NAME; default: host name and process number)")
  @Nullable String identity;

  @Option(
      names = "--lease-duration",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:LEASE_DURATION:-15s}",
      description =
          "others wait so long for a leader that stopped renewing"
              + " (env LEASE_DURATION; default: ${DEFAULT-VALUE})")
  Duration leaseDuration = Duration.ZERO;

  @Option(
      names = "--renew-deadline",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:RENEW_DEADLINE:-10s}",
      description =
          "a leader that could not renew for so long exits"
              + " (env RENEW_DEADLINE; default: ${DEFAULT-VALUE})")
  Duration renewDeadline = Duration.ZERO;

  @Option(
      names = "--retry-period",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:RETRY_PERIOD:-2s}",
      description = "between two renewals (env RETRY_PERIOD; default: ${DEFAULT-VALUE})")
  Duration retryPeriod = Duration.ZERO;

  @Option(
      names = "--api-timeout",
      scope = ScopeType.INHERIT,
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:API_TIMEOUT}",
      description =
          "limit of one call to the API server"
              + " (env API_TIMEOUT; default: 4s, at most half the lease duration)")
  @Nullable Duration apiTimeout;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "${env:WORKERS:-32}",
      description = "pods looked at at once, and claims (env WORKERS; default: ${DEFAULT-VALUE})")
  int workers;

  @Option(
      names = "--evict",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      defaultValue = "${env:EVICT:-false}",
      description =
          "evict pods whose GPU or MIG device has a NoExecute taint that they do not tolerate, which"
              + " takes the right to create pods/eviction (env EVICT; default: ${DEFAULT-VALUE})")
  boolean evict;

  @Option(
      names = "--node-pool-label",
      paramLabel = "LABEL",
      defaultValue = "${env:NODE_POOL_LABEL:-}",
      description =
          "label of nodes by whose values the metric gpudra_gpus tells pools apart"
              + " (env NODE_POOL_LABEL; default: none)")
  String nodePoolLabel = "";

  @Option(
      names = "--debug-port",
      paramLabel = "PORT",
      converter = PortNumber.class,
      defaultValue = "${env:DEBUG_PORT:-8082}",
      description =
          "port of /debug/ledger and other pages below /debug, on the loopback address only; 0 takes a free one"
              + " (env DEBUG_PORT; default: ${DEFAULT-VALUE})")
  int debugPort;

  @Option(
      names = "--webhook-port",
      paramLabel = "PORT",
      converter = PortNumber.class,
      defaultValue = "${env:WEBHOOK_PORT}",
      description =
          "port of the validating admission webhook; 0 takes a free one"
              + " (env WEBHOOK_PORT; default: no webhook)")
  @Nullable Integer webhookPort;

  @Option(
      names = "--webhook-name",
      paramLabel = "NAME",
      defaultValue = "${env:WEBHOOK_NAME:-gpudra-webhook}",
      description =
          "Secret and Service of the webhook in --namespace, and its"
              + " ValidatingWebhookConfiguration (env WEBHOOK_NAME; default: ${DEFAULT-VALUE})")
  String webhookName = "";

  @Option(
      names = "--webhook-certificates",
      paramLabel = "DIR",
      defaultValue = "${env:WEBHOOK_CERTIFICATES}",
      description =
          "directory of tls.crt and tls.key that somebody else keeps fresh"
              + " (env WEBHOOK_CERTIFICATES; default: the leader makes them and keeps them in the"
              + " Secret)")
  @Nullable Path webhookCertificates;

  @Mixin PortOptions ports = new PortOptions();

  /** Everything that is wrong with them, as sentences; empty when nothing is. */
  ImmutableList<String> problems() {
    ImmutableList.Builder<String> problems = ImmutableList.builder();
    DriverName.problem(driverName).ifPresent(problems::add);
    if (workers < 1 || workers > MOST_WORKERS) {
      problems.add("--workers: %d is not between 1 and %d".formatted(workers, MOST_WORKERS));
    }
    return problems.addAll(timing().problems()).build();
  }

  ElectionTiming timing() {
    return new ElectionTiming(leaseDuration, renewDeadline, retryPeriod, apiTimeout());
  }

  /** A shorter lease leaves less time for a write to land. */
  Duration apiTimeout() {
    Duration half = leaseDuration.dividedBy(2);
    Duration standard = HttpClients.UNARY_TIMEOUT;
    return apiTimeout != null ? apiTimeout : half.compareTo(standard) < 0 ? half : standard;
  }

  Optional<Path> kubeconfig() {
    return Optional.ofNullable(kubeconfig);
  }

  String leaseName() {
    return leaseName == null || leaseName.isEmpty() ? driverName : leaseName;
  }

  /** A container is process 1 again after a restart, and so takes up its lease at once. */
  String identity(String hostName) {
    return identity == null || identity.isEmpty()
        ? hostName + "_" + ProcessHandle.current().pid()
        : identity;
  }
}
