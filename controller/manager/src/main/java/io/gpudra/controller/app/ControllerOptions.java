package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.election.ElectionTiming;
import io.gpudra.controller.loop.ControllerDelays;
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

/** Options of the command line, with defaults from the environment. Parsed once at start. */
final class ControllerOptions {

  private static final int MAX_WORKERS = 64;

  /** Of times after which pods get on: a longer one is a slip. */
  private static final Duration MAX_PATIENCE = Duration.ofHours(24);

  @Option(
      names = "--driver-name",
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      defaultValue = "${env:DRIVER_NAME:-gpu.resource.example.com}",
      description = "driver name in ResourceClasses (env DRIVER_NAME; default: ${DEFAULT-VALUE})")
  String driverName = "";

  @Option(
      names = "--kubeconfig",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      defaultValue = "${env:KUBECONFIG}",
      description = "kubeconfig file (env KUBECONFIG; default: in-cluster configuration)")
  @Nullable Path kubeconfig;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      defaultValue = "${env:POD_NAMESPACE:-gpudra}",
      description = "namespace of the lease (env POD_NAMESPACE; default: ${DEFAULT-VALUE})")
  String namespace = "";

  @Option(
      names = "--lease-name",
      paramLabel = "NAME",
      defaultValue = "${env:LEASE_NAME}",
      description = "name of the lease (env LEASE_NAME; default: the driver's name)")
  @Nullable String leaseName;

  @Option(
      names = "--identity",
      paramLabel = "NAME",
      defaultValue = "${env:POD_NAME}",
      description =
          "identity of this process in the lease, must be unique"
              + " (env POD_NAME; default: host name and process number)")
  @Nullable String identity;

  @Option(
      names = "--lease-duration",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:LEASE_DURATION:-15s}",
      description =
          "time that standbys wait for a lease that is not renewed before they take over"
              + " (env LEASE_DURATION; default: ${DEFAULT-VALUE})")
  Duration leaseDuration = Duration.ZERO;

  @Option(
      names = "--renew-deadline",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:RENEW_DEADLINE:-10s}",
      description =
          "time after which a leader that cannot renew its lease exits"
              + " (env RENEW_DEADLINE; default: ${DEFAULT-VALUE})")
  Duration renewDeadline = Duration.ZERO;

  @Option(
      names = "--retry-period",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:RETRY_PERIOD:-2s}",
      description = "interval between two renewals (env RETRY_PERIOD; default: ${DEFAULT-VALUE})")
  Duration retryPeriod = Duration.ZERO;

  @Option(
      names = "--api-timeout",
      scope = ScopeType.INHERIT,
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:API_TIMEOUT}",
      description =
          "timeout of one API server call"
              + " (env API_TIMEOUT; default: 4s, at most half the lease duration)")
  @Nullable Duration apiTimeout;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "${env:WORKERS:-32}",
      description =
          "workers for pods, and as many for claims (env WORKERS; default: ${DEFAULT-VALUE})")
  int workers;

  @Option(
      names = "--evict",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      defaultValue = "${env:EVICT:-false}",
      description =
          "evict pods whose GPU or MIG device has a NoExecute taint that they do not tolerate;"
              + " needs permission to create pods/eviction (env EVICT; default: ${DEFAULT-VALUE})")
  boolean evict;

  @Option(
      names = "--gates",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      defaultValue = "${env:GATES:-false}",
      description =
          "allocate the claims of pods with the scheduling gate <driver-name>/granted, then remove"
              + " the gate; needs permission to list, watch and patch pods"
              + " (env GATES; default: ${DEFAULT-VALUE})")
  boolean gates;

  @Option(
      names = "--gate-patience",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:GATE_PATIENCE:-30s}",
      description =
          "time after which a pod that no node fits loses its gate"
              + " (env GATE_PATIENCE; default: ${DEFAULT-VALUE})")
  Duration gatePatience = Duration.ZERO;

  @Option(
      names = "--group-patience",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:GROUP_PATIENCE:-5m}",
      description =
          "age of a group of pods, of its youngest member, at which nodes may be kept for it"
              + " (env GROUP_PATIENCE; default: ${DEFAULT-VALUE})")
  Duration groupPatience = Duration.ZERO;

  @Option(
      names = "--group-hold",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "${env:GROUP_HOLD:-30m}",
      description =
          "longest time for which nodes are kept for a group of pods"
              + " (env GROUP_HOLD; default: ${DEFAULT-VALUE})")
  Duration groupHold = Duration.ZERO;

  @Option(
      names = "--node-pool-label",
      paramLabel = "LABEL",
      defaultValue = "${env:NODE_POOL_LABEL:-}",
      description =
          "node label whose value is the pool in the metric gpudra_gpus"
              + " (env NODE_POOL_LABEL; default: none)")
  String nodePoolLabel = "";

  @Option(
      names = "--debug-port",
      paramLabel = "PORT",
      converter = PortNumber.class,
      defaultValue = "${env:DEBUG_PORT:-8082}",
      description =
          "port of /debug/ledger and other pages below /debug, on the loopback address only; 0 for"
              + " any free port (env DEBUG_PORT; default: ${DEFAULT-VALUE})")
  int debugPort;

  @Option(
      names = "--webhook-port",
      paramLabel = "PORT",
      converter = PortNumber.class,
      defaultValue = "${env:WEBHOOK_PORT}",
      description =
          "port of the admission webhook; 0 for any free port"
              + " (env WEBHOOK_PORT; default: no webhook)")
  @Nullable Integer webhookPort;

  @Option(
      names = "--webhook-name",
      paramLabel = "NAME",
      defaultValue = "${env:WEBHOOK_NAME:-gpudra-webhook}",
      description =
          "Secret and Service of the webhook in --namespace, and its"
              + " webhook configurations (env WEBHOOK_NAME; default: ${DEFAULT-VALUE})")
  String webhookName = "";

  @Option(
      names = "--webhook-certificates",
      paramLabel = "DIR",
      defaultValue = "${env:WEBHOOK_CERTIFICATES}",
      description =
          "directory of tls.crt and tls.key, which other software such as cert-manager renews"
              + " (env WEBHOOK_CERTIFICATES; default: the leader issues them and stores them in the"
              + " Secret)")
  @Nullable Path webhookCertificates;

  @Mixin PortOptions ports = new PortOptions();

  /** Problems of the options, as sentences. */
  ImmutableList<String> problems() {
    ImmutableList.Builder<String> problems = ImmutableList.builder();
    DriverName.problem(driverName).ifPresent(problems::add);
    if (workers < 1 || workers > MAX_WORKERS) {
      problems.add("--workers: %d is not between 1 and %d".formatted(workers, MAX_WORKERS));
    }
    tooLong("--gate-patience", gatePatience).ifPresent(problems::add);
    tooLong("--group-patience", groupPatience).ifPresent(problems::add);
    tooLong("--group-hold", groupHold).ifPresent(problems::add);
    return problems.addAll(timing().problems()).build();
  }

  private static Optional<String> tooLong(String option, Duration time) {
    return time.compareTo(MAX_PATIENCE) > 0
        ? Optional.of(
            "%s: %d s are more than %d h"
                .formatted(option, time.toSeconds(), MAX_PATIENCE.toHours()))
        : Optional.empty();
  }

  ElectionTiming timing() {
    return new ElectionTiming(leaseDuration, renewDeadline, retryPeriod, apiTimeout());
  }

  /** Limited by the lease, since a write must end before the lease does. */
  Duration apiTimeout() {
    Duration half = leaseDuration.dividedBy(2);
    Duration standard = ControllerDelays.API_CALL;
    return apiTimeout != null ? apiTimeout : half.compareTo(standard) < 0 ? half : standard;
  }

  Optional<Path> kubeconfig() {
    return Optional.ofNullable(kubeconfig);
  }

  String leaseName() {
    return leaseName == null || leaseName.isEmpty() ? driverName : leaseName;
  }

  /** A restarted container has process number 1 again, and resumes its lease at once. */
  String identity(String hostName) {
    return identity == null || identity.isEmpty()
        ? hostName + "_" + ProcessHandle.current().pid()
        : identity;
  }
}
