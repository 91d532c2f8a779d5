package io.gpudra.controller.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.check.ClusterCheck;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.doctor.Diagnosis;
import io.gpudra.controller.doctor.InstallationCollector;
import io.gpudra.controller.doctor.upgrade.UpgradeCollector;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.view.UserView;
import io.gpudra.process.DurationText;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Finds problems of the installation and their remedies. */
@Command(
    name = "doctor",
    description =
        "Checks API server, feature gates, permissions, controllers, plugins and nodes, and whether"
            + " claims and node inventories are consistent. Prints each problem with its remedy."
            + " Read-only, except for access reviews.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DoctorCommand extends ClusterCommand {
  private static final JsonMapper JSON = new JsonMapper();

  /** The findings that doctor reports in its own words. */
  private static final ImmutableSet<Kind> REPORTED =
      ImmutableSet.of(
          Kind.NODE_STALE,
          Kind.INVENTORY_IMPLAUSIBLE,
          Kind.PARAMETERS_NOT_FOUND,
          Kind.NAMESPACE_NOT_ALLOWED,
          Kind.CLASS_LIMIT,
          Kind.ATTRIBUTE_FORBIDDEN,
          Kind.INVALID_PARAMETERS);

  @Option(
      names = "--settle",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "10s",
      description =
          "if claims and inventories are inconsistent, check again after this time and report only"
              + " what remains; 0s checks once (default: ${DEFAULT-VALUE})")
  private Duration settle = Duration.ZERO;

  @Option(
      names = "--upgrade",
      description =
          "print the steps before Kubernetes 1.27 to 1.30 is upgraded, and on later versions what"
              + " was left behind; exit code 0: the API server may be replaced, or nothing was left")
  private boolean upgrade;

  @Option(
      names = "--to",
      paramLabel = "VERSION",
      converter = UpgradeTarget.class,
      defaultValue = "1.36",
      description = "with --upgrade: version at its end, 1.31 to 1.37 (default: ${DEFAULT-VALUE})")
  private int target;

  /** One problem as it is printed. */
  private record Line(
      String complaint, String subject, @JsonProperty("what") String message, String todo) {

    static Line of(Diagnosis one) {
      return new Line(one.problemKind().label(), one.subject(), one.message(), one.remedy());
    }

    static Line of(Finding one) {
      return new Line(one.kind().label(), subject(one), message(one), one.kind().remedy());
    }

    private static String subject(Finding one) {
      String claims = Joiner.on(", ").join(one.claims().values());
      if (!claims.isEmpty()) {
        return "claim " + claims + (one.node().isEmpty() ? "" : " on node " + one.node());
      }
      return one.node().isEmpty() ? "cluster" : "node " + one.node();
    }

    private static String message(Finding one) {
      String devices = String.join(", ", one.devices());
      return devices.isEmpty() ? one.message() : devices + ": " + one.message();
    }
  }

  @Override
  Optional<Integer> answerWithoutSnapshot() throws IOException {
    return upgrade ? Optional.of(print(new UpgradeReport(steps()))) : Optional.empty();
  }

  private UpgradeCollector.Result steps() throws IOException {
    Clock clock = Clock.systemUTC();
    return UpgradeCollector.of(
        http(), new KubeSettings(driverName(), KubeSettings.ANY_MINOR, clock), target);
  }

  private int print(UpgradeReport report) {
    out().print(output().structured() ? output().structured(report.json()) : report.text());
    printUnseen(report.result().unseen());
    return report.exitCode();
  }

  private void printUnseen(ImmutableList<String> unseen) {
    unseen.forEach(text -> err().println("not checked: " + TerminalText.line(text)));
  }

  @Override
  int answer(UserView userView) throws IOException {
    InstallationCollector.Result result = InstallationCollector.of(http(), driverName(), userView);
    ImmutableList<String> unseen =
        Stream.concat(result.unseen().stream(), unseenContradictions(userView))
            .collect(ImmutableList.toImmutableList());
    ImmutableList<Line> lines =
        Stream.concat(
                result.diagnoses().stream().map(Line::of), contradictions(userView).map(Line::of))
            .collect(ImmutableList.toImmutableList());
    printUnseen(unseen);
    if (output().structured()) {
      out().print(output().structured(json(lines, unseen)));
    } else {
      lines.forEach(this::print);
      out()
          .println(
              lines.isEmpty()
                  ? "nothing is wrong" + (unseen.isEmpty() ? "" : " in what could be checked")
                  : "complaints: " + lines.size());
    }
    return lines.isEmpty() ? GpudraCommand.ANSWERED : GpudraCommand.SOMETHING_WRONG;
  }

  /**
   * The lasting findings of {@code check}, since lists of a busy cluster are never of one moment.
   */
  private Stream<Finding> contradictions(UserView userView) throws IOException {
    ImmutableList<Finding> first = userView.mayReadHolders() ? found(userView) : ImmutableList.of();
    if (first.isEmpty() || settle.isZero()) {
      return first.stream();
    }
    Uninterruptibles.sleepUninterruptibly(settle);
    return Finding.lasting(first, found(clusterView(http()))).stream();
  }

  /** The note about objects that the caller may not read: they would look deleted. */
  private static Stream<String> unseenContradictions(UserView userView) {
    return userView.mayReadHolders()
        ? Stream.empty()
        : Stream.of(
            "consistency of claims and nodes: missing permission to read all resourceclaims, nodes"
                + " and nodeinventories");
  }

  private static ImmutableList<Finding> found(UserView userView) {
    return ClusterCheck.of(userView.cluster()).stream()
        .filter(finding -> !REPORTED.contains(finding.kind()))
        .collect(ImmutableList.toImmutableList());
  }

  private void print(Line line) {
    out().println(TerminalText.line(line.complaint() + ": " + line.subject()));
    out().println("  what:   " + TerminalText.line(line.message()));
    out().println("  to do:  " + TerminalText.line(line.todo()));
    out().println();
  }

  private static ObjectNode json(ImmutableList<Line> lines, ImmutableList<String> unseen) {
    ObjectNode json = JSON.createObjectNode();
    for (Line one : lines) {
      json.withArrayProperty("diagnoses").add(JSON.<ObjectNode>valueToTree(one));
    }
    unseen.forEach(json.withArrayProperty("notLookedAt")::add);
    json.withArrayProperty("diagnoses");
    return json;
  }
}
