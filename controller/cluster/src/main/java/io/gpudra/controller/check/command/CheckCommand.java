package io.gpudra.controller.check.command;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.check.ClusterCheck;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.process.DurationText;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Finds inconsistent objects in the cluster. Read-only. */
@Command(
    name = "check",
    description =
        "Compares claims and node inventories, recomputes the ledger from them, and prints each"
            + " problem with its remedy. Read-only.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnExecutionException = CheckCommand.NOT_CHECKED,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:no problems found", "1:problems found", "2:failure"})
public final class CheckCommand implements Callable<Integer> {
  private static final int NOTHING_WRONG = 0;
  private static final int SOMETHING_WRONG = 1;
  public static final int NOT_CHECKED = 2;
  private static final String READING = "reading the cluster";

  private enum Output {
    TEXT,
    JSON
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "text or json (default: ${DEFAULT-VALUE})")
  private Output output = Output.TEXT;

  @Option(
      names = "--settle",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "10s",
      description =
          "check again after this time and report only what remains; 0s checks once"
              + " (default: ${DEFAULT-VALUE})")
  private Duration settle = Duration.ZERO;

  @ParentCommand private @Nullable ClusterConnection clusterConnection;
  @Spec private @Nullable CommandSpec spec;

  private record CheckResult(int nodes, int claims, ImmutableList<Finding> findings) {

    /** Keeps the findings that were there before. */
    CheckResult since(CheckResult before) {
      return new CheckResult(nodes, claims, Finding.lasting(before.findings, findings));
    }
  }

  @Override
  public Integer call() {
    ClusterConnection cluster = requireNonNull(clusterConnection, "set by picocli");
    PrintWriter err = requireNonNull(spec, "set by picocli").commandLine().getErr();
    ImmutableList<String> problems = cluster.problems();
    if (!problems.isEmpty()) {
      problems.forEach(err::println);
      return NOT_CHECKED;
    }
    try (HttpClients http = cluster.connect();
        ProgressReporter progress = new ProgressReporter(err, READING)) {
      CheckResult checkResult = settled(http, cluster.driverName(), progress);
      print(checkResult, cluster.driverName());
      return checkResult.findings().isEmpty() ? NOTHING_WRONG : SOMETHING_WRONG;
    } catch (IOException e) {
      err.println("cannot check: " + ConnectErrorText.why(e));
      return NOT_CHECKED;
    }
  }

  /** Reports only lasting findings, since lists of a busy cluster are never of one moment. */
  private CheckResult settled(HttpClients http, String driverName, ProgressReporter progress)
      throws IOException {
    CheckResult first = report(http, driverName);
    if (first.findings().isEmpty() || settle.isZero()) {
      return first;
    }
    progress.now("waiting for the second check (--settle)");
    Uninterruptibles.sleepUninterruptibly(settle);
    progress.now(READING);
    return report(http, driverName).since(first);
  }

  private static CheckResult report(HttpClients http, String driverName) throws IOException {
    ClusterObjects reading =
        ClusterObjects.of(
            http, new KubeSettings(driverName, KubeSettings.ANY_MINOR, Clock.systemUTC()));
    return new CheckResult(
        reading.inventories().size(),
        reading.claims().size(),
        ClusterCheck.of(ClusterSnapshot.of(reading, driverName, Instant.now())));
  }

  private void print(CheckResult checkResult, String driverName) {
    PrintWriter out = requireNonNull(spec, "set by picocli").commandLine().getOut();
    out.print(
        switch (output) {
          case TEXT ->
              CheckReport.text(
                  driverName, checkResult.nodes, checkResult.claims, checkResult.findings);
          case JSON ->
              CheckReport.json(
                  driverName, checkResult.nodes, checkResult.claims, checkResult.findings);
        });
    out.flush();
  }
}
