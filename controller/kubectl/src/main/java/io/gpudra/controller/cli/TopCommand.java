package io.gpudra.controller.cli;

import static io.gpudra.controller.cli.ColumnTable.column;
import static io.gpudra.controller.cli.ColumnTable.wide;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.access.ReadScope;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.controller.view.GpuTime;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.UserView;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the largest holders of GPU time. */
@Command(
    name = "top",
    description = {
      "Shows which claims or namespaces hold most GPU time, of current allocations only.",
      "A MIG device or a share counts as its part of the GPU's memory. With -o wide namespaces have"
          + " their quotas with what is used of them."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class TopCommand extends ClusterCommand {

  /** The grouping of the output. */
  enum By {
    CLAIMS,
    NAMESPACES;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Parameters(paramLabel = "claims|namespaces", description = "group by: ${COMPLETION-CANDIDATES}")
  private By by = By.CLAIMS;

  @Override
  ReadScope readScope() {
    return switch (by) {
      case CLAIMS -> ReadScope.USE;
      case NAMESPACES -> ReadScope.USE_AND_QUOTAS;
    };
  }

  @Override
  int answer(UserView userView) throws IOException {
    ImmutableList<NodeUse> nodes = NodeUse.all(userView.cluster());
    ImmutableList<GpuTime> times =
        switch (by) {
          case CLAIMS -> GpuTime.ofClaims(nodes, userView.now());
          case NAMESPACES -> GpuTime.ofNamespaces(nodes, userView.now());
        };
    ImmutableMap<String, ImmutableList<QuotaUse>> quotas = userView.cluster().quotas().uses();
    String only = onlyNamespace();
    List<GpuTime> shown =
        times.stream().filter(one -> only.isEmpty() || one.namespace().equals(only)).toList();
    switch (output().format()) {
      case NAME -> shown.forEach(time -> out().println(TerminalText.line(name(time))));
      case JSON, YAML -> out().print(output().structured(json(shown, quotas)));
      case TABLE, WIDE -> out().print(table(quotas).text(shown, output().wide()));
    }
    return GpudraCommand.ANSWERED;
  }

  /** The selected namespace; empty for all. */
  private String onlyNamespace() throws IOException {
    return parent().connection().namesNamespaces() && !allNamespaces() ? namespace() : "";
  }

  private String name(GpuTime time) {
    return switch (by) {
      case CLAIMS -> "resourceclaim/" + time.name();
      case NAMESPACES -> "namespace/" + time.namespace();
    };
  }

  private ColumnTable<GpuTime> table(ImmutableMap<String, ImmutableList<QuotaUse>> quotas) {
    ColumnTable.Column<GpuTime> gpus = column("GPUS", time -> tenths(time.gpus()));
    ColumnTable.Column<GpuTime> hours = column("GPU-HOURS", time -> tenths(time.hours()));
    ColumnTable.Column<GpuTime> namespace = column("NAMESPACE", GpuTime::namespace);
    return switch (by) {
      case CLAIMS ->
          new ColumnTable<>(
              ImmutableList.of(namespace, column("CLAIM", GpuTime::name), gpus, hours));
      case NAMESPACES ->
          new ColumnTable<>(
              ImmutableList.of(
                  namespace,
                  column("CLAIMS", time -> String.valueOf(time.claims())),
                  gpus,
                  hours,
                  wide("QUOTA", time -> QuotaColumn.text(time.namespace(), of(quotas, time)))));
    };
  }

  private static ImmutableList<QuotaUse> of(
      ImmutableMap<String, ImmutableList<QuotaUse>> quotas, GpuTime time) {
    return quotas.getOrDefault(time.namespace(), ImmutableList.of());
  }

  private static String tenths(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }

  private ObjectNode json(
      List<GpuTime> times, ImmutableMap<String, ImmutableList<QuotaUse>> quotas) {
    ObjectNode json = FindingJson.JSON.createObjectNode();
    ArrayNode all = json.putArray(by.toString());
    for (GpuTime time : times) {
      ObjectNode row = all.addObject();
      json(row, time);
      if (by == By.NAMESPACES) {
        QuotaColumn.json(row.putArray("quotas"), time.namespace(), of(quotas, time));
      }
    }
    return json;
  }

  private static void json(ObjectNode json, GpuTime time) {
    json.put("namespace", time.namespace());
    if (!time.name().isEmpty()) {
      json.put("name", time.name());
    }
    json.put("claims", time.claims()).put("gpus", time.gpus()).put("gpuHours", time.hours());
  }
}
