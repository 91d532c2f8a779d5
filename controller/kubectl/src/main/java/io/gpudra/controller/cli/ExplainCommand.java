package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.page.EventHistory;
import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.explain.Asked;
import io.gpudra.controller.view.explain.Explain;
import io.gpudra.controller.view.explain.Explained;
import io.gpudra.process.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
  int answer(Sight sight) throws IOException {
    String target = String.join("/", words);
    Optional<Asked> asked = Asked.of(namespace(), target);
    if (asked.isEmpty()) {
      err().println(TerminalText.line(target) + " is none of: NAME, pod/NAME, claim/NAME");
      return GpudraCommand.NOT_ANSWERED;
    }
    Optional<Explained> explained = Explain.of(sight, asked.get());
    if (explained.isEmpty()) {
      err().println(notThere(asked.get()));
      return GpudraCommand.NOT_ANSWERED;
    }
    print(sight, explained.get());
    Explained last = watch ? watch(sight, asked.get(), explained.get()) : explained.get();
    return last.wrong() ? GpudraCommand.SOMETHING_WRONG : GpudraCommand.ANSWERED;
  }

  private static String notThere(Asked asked) {
    return "no %s \"%s\" found in namespace \"%s\""
        .formatted(
            asked.kind().map(Asked.Kind::text).orElse("pod or claim"),
            TerminalText.line(asked.name()),
            TerminalText.line(asked.namespace()));
  }

  private Explained watch(Sight first, Asked asked, Explained told) throws IOException {
    Explained last = told;
    while (last.waits()) {
      Uninterruptibles.sleepUninterruptibly(interval);
      Sight sight = sight(http());
      Optional<Explained> now = Explain.of(sight, asked);
      if (now.isEmpty()) {
        err().println(notThere(asked));
        return last;
      }
      // Changes of ages alone are not printed.
      if (!now.get().lines(first.now()).equals(last.lines(first.now()))) {
        print(sight, now.get());
      }
      last = now.get();
    }
    return last;
  }

  private void print(Sight sight, Explained explained) throws IOException {
    ImmutableList<String> said = EventHistory.of(http(), sight, explained);
    switch (output().format()) {
      case NAME ->
          out().println(explained.kind().text() + "/" + TerminalText.line(explained.name()));
      case JSON, YAML -> out().print(output().structured(json(sight, explained, said)));
      case TABLE, WIDE -> text(sight, explained, said);
    }
    out().flush();
  }

  private ObjectNode json(Sight sight, Explained explained, ImmutableList<String> said) {
    ObjectNode json = ExplainJson.of(explained, explained.lines(sight.now()));
    said.forEach(json.withArrayProperty("said")::add);
    return json;
  }

  private void text(Sight sight, Explained explained, ImmutableList<String> said) {
    ImmutableList<String> lines = explained.lines(sight.now());
    lines.stream()
        .limit(1)
        .map(TerminalText::line)
        .map(TerminalColours::head)
        .forEach(out()::println);
    lines.stream().skip(1).map(TerminalText::line).forEach(out()::println);
    if (output().wide()) {
      explained.nodeLines().forEach(line -> out().println(INDENT + TerminalText.line(line)));
    }
    said.forEach(line -> out().println(TerminalText.line(line)));
  }
}
