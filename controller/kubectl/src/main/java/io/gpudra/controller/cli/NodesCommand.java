package io.gpudra.controller.cli;

import static io.gpudra.controller.cli.ColumnTable.column;
import static io.gpudra.controller.cli.ColumnTable.wide;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.access.ReadScope;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.GpuUse;
import io.gpudra.controller.view.MaxRequest;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.UserView;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.model.MemorySize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Shows the GPUs of nodes, and how many are free. */
@Command(
    name = "nodes",
    description =
        "Shows the GPUs of each node, how many are free, and the largest request that still"
            + " fits.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class NodesCommand extends ClusterCommand {
  private static final String NOTHING = "-";

  /**
   * One node, or the total of all nodes.
   *
   * @param nodes the nodes in the row
   */
  private record Row(String name, ImmutableList<NodeUse> nodes, Texts texts) {

    int count(Predicate<GpuUse> so) {
      return nodes.stream().mapToInt(node -> node.count(so)).sum();
    }

    String listed() {
      return String.valueOf(count(gpu -> gpu.gpu().isPresent()));
    }

    String counted(GpuStatus status) {
      return String.valueOf(count(gpu -> gpu.status() == status));
    }

    /** The allocated portion of the partly allocated GPUs. */
    String parts() {
      double used =
          nodes.stream()
              .flatMap(node -> node.gpus().stream())
              .filter(GpuUse::shared)
              .mapToDouble(GpuUse::portion)
              .sum();
      int shared = count(GpuUse::shared);
      return shared == 0 ? NOTHING : String.format(Locale.ROOT, "%.1f of %d", used, shared);
    }

    ImmutableList<NodeUse> troubled() {
      return nodes.stream()
          .filter(node -> node.refusal().isPresent())
          .collect(ImmutableList.toImmutableList());
    }

    String distinct(Function<NodeUse, String> value) {
      return nodes.stream()
          .map(value)
          .filter(text -> !text.isEmpty())
          .distinct()
          .sorted()
          .collect(Collectors.joining(","));
    }
  }

  /** Columns that do not come from a node's ledger. */
  private record Texts(
      String gpus, String memory, String profile, String state, String plugin, String heartbeat) {}

  private static final ColumnTable<Row> TABLE =
      new ColumnTable<>(
          ImmutableList.of(
              column("NODE", Row::name),
              column("GPUS", Row::listed),
              counted("FREE", GpuStatus.FREE),
              counted("PARTLY", GpuStatus.PARTLY_FREE),
              counted("GRANTED", GpuStatus.GRANTED),
              counted("DRAINING", GpuStatus.DRAINING),
              counted("TAINTED", GpuStatus.TAINTED),
              counted("STALE", GpuStatus.STALE),
              counted("LOST", GpuStatus.LOST),
              column("PARTS", Row::parts),
              column("FITS", row -> row.texts().gpus()),
              column("FITS-MEMORY", row -> row.texts().memory()),
              column("FITS-MIG", row -> row.texts().profile()),
              column("STATE", row -> row.texts().state()),
              wide("MODELS", row -> row.distinct(NodesCommand::models)),
              wide("DRIVER", row -> row.distinct(node -> node.inventory().driverVersion())),
              wide("CUDA", row -> row.distinct(node -> node.inventory().cudaDriverVersion())),
              wide("PLUGIN", row -> row.texts().plugin()),
              wide("HEARTBEAT", row -> row.texts().heartbeat())));

  private static ColumnTable.Column<Row> counted(String header, GpuStatus status) {
    return column(header, row -> row.counted(status));
  }

  @Override
  ReadScope readScope() {
    return ReadScope.USE;
  }

  @Override
  int answer(UserView userView) {
    ImmutableList<NodeUse> nodes = NodeUse.all(userView.cluster());
    MaxRequest maxRequest = MaxRequest.of(userView.cluster(), nodes);
    List<Row> rows = new ArrayList<>();
    nodes.forEach(node -> rows.add(row(node, maxRequest, userView)));
    switch (output().format()) {
      case NAME -> nodes.forEach(node -> out().println("node/" + TerminalText.line(node.name())));
      case JSON, YAML -> out().print(output().structured(json(rows, maxRequest)));
      case TABLE, WIDE -> table(rows, all(nodes, maxRequest));
    }
    return nodes.isEmpty() && !userView.mayReadInventories()
        ? GpudraCommand.NOT_ANSWERED
        : GpudraCommand.ANSWERED;
  }

  private void table(List<Row> rows, Row all) {
    List<Row> shown = new ArrayList<>(rows);
    shown.add(all);
    List<String> lines = TABLE.text(shown, output().wide()).lines().toList();
    out().println(TerminalColours.head(lines.get(0)));
    for (int i = 0; i < rows.size(); i++) {
      String line = lines.get(i + 1);
      out().println(rows.get(i).troubled().isEmpty() ? line : TerminalColours.wrong(line));
    }
    out().println(lines.get(lines.size() - 1));
  }

  private static Row row(NodeUse node, MaxRequest maxRequest, UserView userView) {
    Optional<NodeInventoryStatus> status =
        Optional.ofNullable(userView.objects().published().get(node.name()))
            .flatMap(object -> Optional.ofNullable(object.status()));
    Texts texts =
        new Texts(
            String.valueOf(maxRequest.gpus().getOrDefault(node.name(), 0)),
            memory(Optional.ofNullable(maxRequest.memoryBytes().get(node.name()))),
            maxRequest.profiles().getOrDefault(node.name(), NOTHING),
            node.refusal().orElse("ok"),
            status.flatMap(one -> Optional.ofNullable(one.pluginVersion())).orElse(""),
            status.flatMap(NodeInventoryStatus::heartbeat).map(at -> ago(at, userView)).orElse(""));
    return new Row(node.name(), ImmutableList.of(node), texts);
  }

  private static String ago(Instant at, UserView userView) {
    return AgeText.between(at, userView.now()) + " ago";
  }

  private static String memory(Optional<Long> bytes) {
    return bytes.map(MemorySize::text).orElse(NOTHING);
  }

  private static String models(NodeUse node) {
    return node.inventory().gpus().stream()
        .collect(Collectors.groupingBy(gpu -> gpu.model().productName(), Collectors.counting()))
        .entrySet()
        .stream()
        .map(model -> model.getValue() + "x " + model.getKey())
        .sorted()
        .collect(Collectors.joining(","));
  }

  private static Row all(ImmutableList<NodeUse> nodes, MaxRequest maxRequest) {
    long troubled = nodes.stream().filter(node -> node.refusal().isPresent()).count();
    Texts texts =
        new Texts(
            String.valueOf(most(nodes, node -> maxRequest.gpus().getOrDefault(node.name(), 0))),
            memory(maxRequest.memoryBytes().values().stream().max(Long::compare)),
            NOTHING,
            troubled == 0 ? "ok" : troubled + " not ok",
            "",
            "");
    return new Row("(all: %d)".formatted(nodes.size()), nodes, texts);
  }

  private static int most(ImmutableList<NodeUse> nodes, ToIntFunction<NodeUse> number) {
    return nodes.stream().mapToInt(number).max().orElse(0);
  }

  private static ObjectNode json(List<Row> rows, MaxRequest maxRequest) {
    ObjectNode json = FindingJson.JSON.createObjectNode();
    ArrayNode nodes = json.putArray("nodes");
    rows.forEach(row -> NodeListJson.add(nodes.addObject(), row.nodes().get(0), maxRequest));
    return json;
  }
}
