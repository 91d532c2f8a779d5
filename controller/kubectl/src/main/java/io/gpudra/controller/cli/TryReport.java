package io.gpudra.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.kube.mapping.CachedClaim.Consumer;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.BlockingClaim;
import io.gpudra.controller.view.dryrun.DryRunResult;
import io.gpudra.controller.view.dryrun.DryRunResult.Placed;
import io.gpudra.controller.view.dryrun.DryRunResult.Waiting;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;
import io.gpudra.controller.view.explain.GroupWithNodes;
import io.gpudra.crds.text.ListText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of {@code try} as text.
 *
 * @param userView has the users of claims to release
 */
record TryReport(UserView userView) {
  private static final int MAX_NAMES = 5;
  private static final int MAX_NODES = 10;

  String text(ImmutableList<DryRunResult> all, OutputFormat.Format format) {
    return format == OutputFormat.Format.NAME
        ? all.stream()
            .filter(DryRunResult::fits)
            .map(
                one ->
                    TerminalText.line(one.kind().toLowerCase(Locale.ROOT) + "/" + one.name())
                        + "\n")
            .collect(Collectors.joining())
        : all.stream()
            .map(one -> text(one, format == OutputFormat.Format.WIDE))
            .collect(Collectors.joining());
  }

  private String text(DryRunResult one, boolean wide) {
    StringBuilder text = new StringBuilder();
    line(text, "%s %s/%s: %s".formatted(one.kind(), one.namespace(), one.name(), verdict(one)));
    if (one.wanted() == 1) {
      one.placed().forEach(placed -> devices(text, placed));
    } else {
      replicas(text, one, wide);
    }
    if (!one.notConsidered().isEmpty() && !one.placed().isEmpty()) {
      line(text, "  not considered: spec." + String.join(", spec.", one.notConsidered()));
    }
    if (one.untried() > 0) {
      line(text, "  stopped at the time limit; the rest may fit");
    }
    one.waiting().ifPresent(waiting -> waiting(text, waiting, wide));
    return text.toString();
  }

  private static String verdict(DryRunResult one) {
    if (one.isGroup()) {
      return one.fits() ? "all %d members fit at once".formatted(one.wanted()) : "does not start";
    }
    if (one.wanted() != 1) {
      return one.fits()
          ? "all %d replicas fit".formatted(one.wanted())
          : "%d of %d replicas fit".formatted(one.placed().size(), one.wanted())
              + (one.untried() > 0 ? ", %d were not tried".formatted(one.untried()) : "");
    }
    if (one.untried() > 0) {
      return "was not tried";
    }
    return one.placed().isEmpty() ? "waits" : where(one.placed().get(0));
  }

  private static String where(Placed placed) {
    if (placed.node().isEmpty()) {
      return "needs no device of this driver";
    }
    return placed.suitable().size() > 1
        ? "fits on %s (kube-scheduler chooses)".formatted(ListText.of(placed.suitable(), MAX_NAMES))
        : (placed.devices().isEmpty() ? "fits, its claims are on " : "fits on ")
            + placed.node().get();
  }

  private static void devices(StringBuilder text, Placed placed) {
    placed
        .devices()
        .forEach(
            (claim, devices) ->
                line(
                    text,
                    "  on %s claim %s gets %s"
                        .formatted(placed.node().orElse(""), claim, String.join(", ", devices))));
  }

  /** Counts replicas by node, with the first suitable node by name for each, and states this. */
  private static void replicas(StringBuilder text, DryRunResult one, boolean wide) {
    Map<String, Long> byNode =
        one.placed().stream()
            .collect(
                Collectors.groupingBy(
                    placed -> placed.node().orElse("any node"),
                    TreeMap::new,
                    Collectors.counting()));
    byNode.forEach((node, count) -> line(text, "  on %s: %d".formatted(node, count)));
    if (!byNode.isEmpty()) {
      line(
          text,
          one.isGroup()
              ? "  (the controller chooses the nodes of a group)"
              : "  (counted with the first node by name that fits; kube-scheduler chooses)");
    }
    if (wide) {
      one.placed().forEach(placed -> devices(text, placed));
    }
  }

  private void waiting(StringBuilder text, Waiting waiting, boolean wide) {
    line(text, "  %s waits:".formatted(waiting.name()));
    waiting.texts().forEach(why -> line(text, "  " + why));
    ImmutableMap<String, String> nodes = waiting.nodes();
    nodes.entrySet().stream()
        .limit(wide ? Integer.MAX_VALUE : MAX_NODES)
        .forEach(node -> line(text, "    %s: %s".formatted(node.getKey(), node.getValue())));
    if (!wide && nodes.size() > MAX_NODES) {
      line(text, "    and %d more nodes (-o wide)".formatted(nodes.size() - MAX_NODES));
    }
    waiting.remedy().ifPresent(remedy -> line(text, "  " + text(remedy)));
  }

  /** The remedy as a sentence. */
  String text(ReleaseRemedy remedy) {
    if (remedy instanceof ReleaseRemedy.Claims release) {
      return "all members fit after the release of %s%s"
          .formatted(claims(release.blockers()), orFewer(release.exact()));
    }
    if (remedy instanceof ReleaseRemedy.Release release) {
      return "it fits on %2$s after the release of %1$s%3$s"
          .formatted(claims(release.blockers()), release.node(), orFewer(release.exact()));
    }
    return remedy instanceof ReleaseRemedy.NotWithin not
        ? not.text()
        : "releasing claims that you may see would not help";
  }

  private String claims(ImmutableList<BlockingClaim> blockers) {
    return blockers.stream().map(this::text).collect(Collectors.joining(", "));
  }

  private static String orFewer(boolean exact) {
    return exact ? "" : " (fewer may be enough)";
  }

  private String text(BlockingClaim blockingClaim) {
    if (blockingClaim.draining()) {
      return blockingClaim.ref() + " (waiting for its node to unprepare it)";
    }
    List<String> users = users(blockingClaim);
    return users.isEmpty()
        ? blockingClaim.ref() + " (no pod uses it)"
        : blockingClaim.ref() + " (used by " + ListText.of(users, MAX_NAMES) + ")";
  }

  /** The names of the consumers for which the claim is reserved. */
  List<String> users(BlockingClaim blockingClaim) {
    return userView
        .objects()
        .consumers()
        .getOrDefault(blockingClaim.uid(), ImmutableList.of())
        .stream()
        .map(consumer -> user(consumer, blockingClaim))
        .toList();
  }

  private static String user(Consumer consumer, BlockingClaim blockingClaim) {
    return consumer.resource().equals("pods")
        ? "pod " + blockingClaim.ref().namespace() + "/" + consumer.name()
        : consumer.resource() + " " + consumer.name();
  }

  /** The sentence about the nodes that are kept. */
  String text(GroupWithNodes kept) {
    return kept.text(userView.now());
  }

  private static void line(StringBuilder text, String line) {
    text.append(TerminalText.line(line).stripTrailing()).append('\n');
  }
}
