package io.gpudra.controller.app;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.check.command.CheckCommand;
import io.gpudra.controller.check.command.ClusterConnection;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.ServerSupport;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.webhook.Webhook;
import io.gpudra.crds.model.DriverName;
import io.gpudra.process.ExitCode;
import io.gpudra.process.LogOptions;
import io.gpudra.process.MetricsPage;
import io.gpudra.process.SharedPage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Starts the controller and ends the process. */
@Command(
    name = "gpudra-controller",
    description = "Allocates GPUs to ResourceClaims (classic dynamic resource allocation).",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = ControllerMain.Version.class,
    subcommands = CheckCommand.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped, all running work finished",
      "1:the cluster cannot be reached or cannot be served",
      "2:wrong options",
      "3:out of memory",
      "4:stopped, some work did not end in time",
      "5:another process leads, or may lead soon",
      "70:internal error; please report it"
    })
public final class ControllerMain implements Callable<Integer>, ClusterConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerMain.class);
  private static final int REACH_ATTEMPTS = 30;

  @Mixin private ControllerOptions options = new ControllerOptions();
  @Mixin private LogOptions logging = new LogOptions();
  @Spec private @org.jspecify.annotations.Nullable CommandSpec spec;

  private final MetricRegistry metrics = new MetricRegistry();

  /** The version in the manifest of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"gpudra-controller " + text()};
    }

    static String text() {
      return Objects.requireNonNullElse(
          ControllerMain.class.getPackage().getImplementationVersion(), "(unpackaged)");
    }
  }

  /** The process's entry point. */
  public static void main(String[] args) {
    LogOptions.captureJavaLogging();
    System.exit(command().execute(args));
  }

  static CommandLine command() {
    return new CommandLine(new ControllerMain()).setCaseInsensitiveEnumValuesAllowed(true);
  }

  @Override
  public String driverName() {
    return options.driverName;
  }

  @Override
  public ImmutableList<String> problems() {
    return options.problems();
  }

  @Override
  public HttpClients connect() throws IOException {
    return HttpClients.connect(options.kubeconfig(), options.apiTimeout(), metrics);
  }

  @Override
  public Integer call() {
    ImmutableList<String> problems = options.problems();
    if (!problems.isEmpty()) {
      CommandLine command = Objects.requireNonNull(spec, "set by picocli").commandLine();
      problems.forEach(problem -> command.getErr().println(problem));
      return ExitCode.USAGE;
    }
    try {
      return serve();
    } catch (IOException e) {
      LOG.error("cannot start why={}", e.toString());
      return ExitCode.CANNOT_RUN;
    }
  }

  private int serve() throws IOException {
    logging.apply();
    if (DriverName.unusual(options.driverName)) {
      LOG.warn(
          "driver name is not of the usual form <hw>.resource.<company>.<domain> driver={}",
          options.driverName);
    }
    warmUp();
    HttpClients http = connect();
    ServerSupport server = reach(http);
    Optional<String> problem = ServerCheck.problem(server);
    if (problem.isPresent()) {
      LOG.error("cannot start why={}", problem.get());
      return ExitCode.CANNOT_RUN;
    }
    ServerCheck.remark(server, options.gates).ifPresent(LOG::warn);
    run(http, server.minor());
    return ExitCode.STOPPED;
  }

  /** Runs in parallel to the start, which mostly waits for the server and for class loading. */
  private void warmUp() {
    Thread thread = new Thread(() -> ConditionsWarmUp.run(options.driverName), "warm-up");
    thread.setDaemon(true);
    thread.start();
  }

  /** Retries, since a control plane may be in an upgrade. */
  private static ServerSupport reach(HttpClients http) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return ServerSupport.of(http);
      } catch (IOException e) {
        if (attempt == REACH_ATTEMPTS) {
          throw e;
        }
        LOG.warn("server not reached attempt={} why={}", attempt, e.toString());
        Uninterruptibles.sleepUninterruptibly(ControllerDelays.SERVER_RETRY);
      }
    }
  }

  private void run(HttpClients http, int serverMinor) throws IOException {
    String identity = options.identity(hostName());
    ControllerComponents controllerComponents =
        new ControllerAssembly(options, http, metrics).wire(identity, serverMinor, why -> lost());
    ControllerLifecycle controller =
        new ControllerLifecycle(controllerComponents, options.workers, ControllerMain::broken);
    Optional<Webhook> webhook = WebhookComponents.open(options, http, controllerComponents);
    MetricsPage page = new MetricsPage(metrics, ControllerMetrics.NAMES);
    ControllerEndpoints endpoints =
        ControllerEndpoints.open(
            options,
            new ControllerHealth(() -> controller.vitals().refusedBy(hindrances(webhook))),
            new SharedPage(() -> page.answer(ImmutableMap.of()), System::nanoTime),
            ledgerPage(controllerComponents));
    LOG.info(
        "listening probePort={} metricsPort={} debugPort={} version={} driver={} identity={}"
            + " kubernetes=1.{}",
        endpoints.probes().port(),
        endpoints.metrics().port(),
        endpoints.debug().port(),
        Version.text(),
        options.driverName,
        identity,
        serverMinor);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(controller, webhook), "shutdown"));
    controller.start();
    Uninterruptibles.awaitUninterruptibly(new CountDownLatch(1));
  }

  private static ImmutableList<String> hindrances(Optional<Webhook> webhook) {
    return webhook.map(Webhook::hindrances).orElse(ImmutableList.of());
  }

  private static LedgerPage ledgerPage(ControllerComponents controllerComponents) {
    return new LedgerPage(
        controllerComponents.election()::mayWrite,
        controllerComponents.ledgers()::snapshot,
        controllerComponents.clusterStats()::findings);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  /** Halts without shutdown hooks: a former leader must not even clean up. */
  private static void lost() {
    Runtime.getRuntime().halt(ExitCode.LEADERSHIP_LOST);
  }

  private static void broken(Throwable failure) {
    LOG.error("leadership could not begin", failure);
    Runtime.getRuntime().halt(ExitCode.BROKEN);
  }

  private static void end(ControllerLifecycle controller, Optional<Webhook> webhook) {
    int code = ExitCode.NOT_DRAINED;
    try {
      webhook.ifPresent(Webhook::sendAway);
      code = controller.stop() ? ExitCode.STOPPED : ExitCode.NOT_DRAINED;
      webhook.ifPresent(
          unused -> Uninterruptibles.sleepUninterruptibly(ControllerDelays.STOP_OF_WEBHOOK));
    } catch (InterruptedException e) {
      LOG.warn("stopping was interrupted", e);
    } finally {
      // The default exit code of a signal would mean that the process was killed.
      Runtime.getRuntime().halt(code);
    }
  }
}
