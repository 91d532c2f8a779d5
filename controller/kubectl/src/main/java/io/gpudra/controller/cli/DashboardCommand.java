package io.gpudra.controller.cli;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.command.ConnectErrorText;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.dashboard.Dashboard;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.ServerSupport;
import io.gpudra.process.PortNumber;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Serves the dashboard until it is stopped. */
@Command(
    name = "dashboard",
    description =
        "Serves a live page of the cluster's GPUs, the claims that hold them, the pods that wait"
            + " for them and why, and all problems. It listens on the loopback address only, uses"
            + " the caller's own rights, and requires the token in the printed address.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DashboardCommand implements Callable<Integer> {
  @ParentCommand private @Nullable GpudraCommand gpudra;
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      converter = PortNumber.class,
      defaultValue = "0",
      description = "port to listen on; 0 for any free port (default: ${DEFAULT-VALUE})")
  private int port;

  @Override
  public Integer call() {
    GpudraCommand parent = requireNonNull(gpudra, "set by picocli");
    PrintWriter err = requireNonNull(spec, "set by picocli").commandLine().getErr();
    ImmutableList<String> problems = parent.problems();
    if (!problems.isEmpty()) {
      problems.forEach(err::println);
      return GpudraCommand.NOT_ANSWERED;
    }
    try (HttpClients http = parent.connect();
        Dashboard dashboard = open(parent, http)) {
      printAddress(dashboard);
      new CountDownLatch(1).await();
      return GpudraCommand.ANSWERED;
    } catch (InterruptedException e) {
      return GpudraCommand.ANSWERED;
    } catch (IOException e) {
      err.println("cannot serve the page: " + ConnectErrorText.why(e));
      return GpudraCommand.NOT_ANSWERED;
    }
  }

  private Dashboard open(GpudraCommand parent, HttpClients http) throws IOException {
    int minor = ServerSupport.of(http).minor();
    KubeSettings settings = new KubeSettings(parent.driverName(), minor, Clock.systemUTC());
    return Dashboard.open(http, settings, parent.connection().namespace(), port);
  }

  private void printAddress(Dashboard dashboard) {
    PrintWriter out = requireNonNull(spec, "set by picocli").commandLine().getOut();
    out.println(dashboard.address());
    out.println(
        "Open this address in a browser on this machine. It gives access to all that you may see."
            + " Press Ctrl-C to stop.");
    out.flush();
  }
}
