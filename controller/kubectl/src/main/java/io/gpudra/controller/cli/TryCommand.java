package io.gpudra.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.check.command.Plain;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.Withheld;
import io.gpudra.controller.manifest.ClaimTemplate;
import io.gpudra.controller.manifest.Drafts;
import io.gpudra.controller.manifest.ManifestReader;
import io.gpudra.controller.sight.TemplateSight;
import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.whatif.Forecast;
import io.gpudra.controller.view.whatif.Rehearsal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Says what would become of objects that are not in the cluster. */
@Command(
    name = "try",
    description = {
      "Says whether pods, claims, Deployments, StatefulSets and Jobs of a file would get their"
          + " GPUs now, where, and which; if not, why, and whose release would help.",
      "Objects of the file stand in for those of the cluster. Nothing is written. The pods are"
          + " tried as if nobody else waited; CPU, memory, volumes, quotas and pod (anti-)affinity"
          + " are not looked at, taints of nodes by their key only."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:all fit", "1:something waits", "2:could not answer"})
final class TryCommand extends Question {

  @Option(
      names = {"-f", "--filename"},
      required = true,
      paramLabel = "FILE",
      description = "file of YAML or JSON, directory of such files, or - for standard input")
  private List<String> files = new ArrayList<>();

  private @Nullable Drafts drafts;
  private ImmutableMap<String, ClaimTemplate> templates = ImmutableMap.of();

  @Override
  ImmutableList<Withheld> alsoRead(HttpClients http, KubeSettings settings) throws IOException {
    drafts = ManifestReader.read(ManifestFiles.read(files, System.in), settings, namespace());
    TemplateSight sight = TemplateSight.of(http, settings, namespace());
    templates = sight.templates();
    return sight.withheld();
  }

  @Override
  int answer(Sight sight) throws IOException {
    Drafts read = drafts;
    if (read == null || !read.problems().isEmpty()) {
      if (read != null) {
        read.problems().forEach(problem -> err().println(Plain.line(problem)));
      }
      return Gpudra.NOT_ANSWERED;
    }
    if (!read.ignored().isEmpty()) {
      err().println("note: not looked at: " + Plain.line(String.join(", ", read.ignored())));
    }
    ImmutableList<Forecast> all = Rehearsal.of(sight, read, templates);
    TryReport report = new TryReport(sight);
    out()
        .print(
            output().structured()
                ? output().structured(TryJson.of(all, report))
                : report.text(all, output().format()));
    return verdict(all);
  }

  private int verdict(ImmutableList<Forecast> all) {
    if (all.stream().anyMatch(one -> one.waiting().isPresent())) {
      return Gpudra.SOMETHING_WRONG;
    }
    return all.stream().allMatch(Forecast::fits) ? Gpudra.ANSWERED : Gpudra.NOT_ANSWERED;
  }
}
