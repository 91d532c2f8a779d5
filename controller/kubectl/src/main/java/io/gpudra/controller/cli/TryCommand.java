package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.access.TemplateView;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.dashboard.KeptNodesReader;
import io.gpudra.controller.kube.ForbiddenKind;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.manifest.ClaimTemplate;
import io.gpudra.controller.manifest.ManifestReader;
import io.gpudra.controller.manifest.ManifestSet;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.DryRun;
import io.gpudra.controller.view.dryrun.DryRunResult;
import io.gpudra.controller.view.explain.GroupWithNodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Predicts whether objects that are not in the cluster would get their devices. */
@Command(
    name = "try",
    description = {
      "Predicts whether pods, claims, Deployments, StatefulSets and Jobs of a file would get GPUs"
          + " now, and which; if not, explains why, and which releases would help.",
      "Objects of the file replace those of the cluster. Nothing is written. Other waiting pods,"
          + " volumes, ResourceQuotas and pod (anti-)affinity are ignored; only the keys of node"
          + " taints are compared. CPU and memory count only as what a node has in all: what other"
          + " pods use of it is ignored. GpuQuotas count."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:all fit", "1:some do not fit", "2:failure"})
final class TryCommand extends ClusterCommand {

  @Option(
      names = {"-f", "--filename"},
      required = true,
      paramLabel = "FILE",
      description = "file of YAML or JSON, directory of such files, or - for standard input")
  private List<String> files = new ArrayList<>();

  private @Nullable ManifestSet manifestSet;
  private ImmutableMap<String, ClaimTemplate> templates = ImmutableMap.of();

  @Override
  ImmutableList<ForbiddenKind> alsoRead(HttpClients http, KubeSettings settings)
      throws IOException {
    manifestSet = ManifestReader.read(ManifestFiles.read(files, System.in), settings, namespace());
    TemplateView sight = TemplateView.of(http, settings, namespace());
    templates = sight.templates();
    return sight.withheld();
  }

  @Override
  int answer(UserView userView) throws IOException {
    ManifestSet read = manifestSet;
    if (read == null || !read.problems().isEmpty()) {
      if (read != null) {
        read.problems().forEach(problem -> err().println(TerminalText.line(problem)));
      }
      return GpudraCommand.NOT_ANSWERED;
    }
    if (!read.ignored().isEmpty()) {
      err().println("note: ignored: " + TerminalText.line(String.join(", ", read.ignored())));
    }
    ImmutableList<DryRunResult> all = DryRun.of(userView, read, templates);
    print(all, new TryReport(userView), KeptNodesReader.of(http(), userView));
    return verdict(all);
  }

  private void print(
      ImmutableList<DryRunResult> all, TryReport report, Optional<GroupWithNodes> kept) {
    if (output().structured()) {
      ObjectNode json = TryJson.of(all, report);
      kept.ifPresent(group -> KeptNodesJson.put(json, group));
      out().print(output().structured(json));
    } else {
      out().print(report.text(all, output().format()));
      if (output().format() != OutputFormat.Format.NAME) {
        kept.map(report::text).map(TerminalText::line).ifPresent(out()::println);
      }
    }
  }

  private int verdict(ImmutableList<DryRunResult> all) {
    if (all.stream().anyMatch(one -> one.waiting().isPresent())) {
      return GpudraCommand.SOMETHING_WRONG;
    }
    return all.stream().allMatch(DryRunResult::fits)
        ? GpudraCommand.ANSWERED
        : GpudraCommand.NOT_ANSWERED;
  }
}
