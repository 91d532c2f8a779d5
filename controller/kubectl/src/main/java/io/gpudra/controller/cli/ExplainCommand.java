package io.gpudra.controller.cli;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.dashboard.EventHistory;
import io.gpudra.controller.dashboard.KeptNodesReader;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ClusterExplainer;
import io.gpudra.controller.view.explain.ExplainResult;
import io.gpudra.controller.view.explain.ExplainTarget;
import io.gpudra.controller.view.explain.GroupWithNodes;
import io.gpudra.process.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Explains why a pod or a claim waits, or which devices it has. */
@Command(
    name = "explain",
    description = {
      "Explains why a pod or a claim waits and what would help, or which devices it has.",
      "With -o wide also why each node does not fit."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ExplainCommand extends ClusterCommand {
  private static final String INDENT = "  ";

  @Parameters(
      paramLabel = "POD|CLAIM",
      arity = "1..2",
      description = "train, pod/train, pod train, claim/train or claim train")
  private List<String> words = new ArrayList<>();

  @Option(
      names = {"-w", "--watch"},
      description = "print again when it changes, until it no longer waits")
  private boolean watch;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "5s",
      description = "polling interval of --watch (default: ${DEFAULT-VALUE})")
  private Duration interval = Duration.ZERO;

  @Override
  int answer(UserView userView) throws IOException {
    String target = String.join("/", words);
    Optional<ExplainTarget> asked = ExplainTarget.of(namespace(), target);
    if (asked.isEmpty()) {
      err().println(TerminalText.line(target) + " is none of: NAME, pod/NAME, claim/NAME");
      return GpudraCommand.NOT_ANSWERED;
    }
    Optional<ExplainResult> explained = ClusterExplainer.of(userView, asked.get());
    if (explained.isEmpty()) {
      err().println(notThere(asked.get()));
      return GpudraCommand.NOT_ANSWERED;
    }
    print(userView, explained.get());
    ExplainResult last = watch ? watch(userView, asked.get(), explained.get()) : explained.get();
    return last.wrong() ? GpudraCommand.SOMETHING_WRONG : GpudraCommand.ANSWERED;
  }

  private static String notThere(ExplainTarget explainTarget) {
    return "no %s \"%s\" found in namespace \"%s\""
        .formatted(
            explainTarget.kind().map(ExplainTarget.Kind::text).orElse("pod or claim"),
            TerminalText.line(explainTarget.name()),
            TerminalText.line(explainTarget.namespace()));
  }

  private ExplainResult watch(UserView first, ExplainTarget explainTarget, ExplainResult result)
      throws IOException {
    ExplainResult last = result;
    while (last.waits()) {
      Uninterruptibles.sleepUninterruptibly(interval);
      UserView userView = clusterView(http());
      Optional<ExplainResult> now = ClusterExplainer.of(userView, explainTarget);
      if (now.isEmpty()) {
        err().println(notThere(explainTarget));
        return last;
      }
      // Changes of ages alone are not printed.
      if (!now.get().lines(first.now()).equals(last.lines(first.now()))) {
        print(userView, now.get());
      }
      last = now.get();
    }
    return last;
  }

  private void print(UserView userView, ExplainResult explainResult) throws IOException {
    Optional<GroupWithNodes> kept =
        explainResult.waits() ? KeptNodesReader.of(http(), userView) : Optional.empty();
    ImmutableList<String> lines =
        Stream.concat(
                explainResult.lines(userView.now()).stream(),
                kept.stream().map(group -> group.text(userView.now())))
            .collect(toImmutableList());
    ImmutableList<String> said = EventHistory.of(http(), userView, explainResult);
    switch (output().format()) {
      case NAME ->
          out()
              .println(explainResult.kind().text() + "/" + TerminalText.line(explainResult.name()));
      case JSON, YAML -> {
        ObjectNode json = ExplainJson.of(explainResult, lines);
        kept.ifPresent(group -> KeptNodesJson.put(json, group));
        said.forEach(json.withArrayProperty("said")::add);
        out().print(output().structured(json));
      }
      case TABLE, WIDE -> text(explainResult, lines, said);
    }
    out().flush();
  }

  private void text(
      ExplainResult explainResult, ImmutableList<String> lines, ImmutableList<String> said) {
    lines.stream()
        .limit(1)
        .map(TerminalText::line)
        .map(TerminalColours::head)
        .forEach(out()::println);
    lines.stream().skip(1).map(TerminalText::line).forEach(out()::println);
    if (output().wide()) {
      explainResult.nodeLines().forEach(line -> out().println(INDENT + TerminalText.line(line)));
    }
    said.forEach(line -> out().println(TerminalText.line(line)));
  }
}
