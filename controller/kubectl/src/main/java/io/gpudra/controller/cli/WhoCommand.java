package io.gpudra.controller.cli;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.cli.ColumnTable.column;
import static io.gpudra.controller.cli.ColumnTable.wide;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.access.ReadScope;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.kube.mapping.CachedClaim.Consumer;
import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.DeviceHolder;
import io.gpudra.controller.view.GpuUse;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.PartText;
import io.gpudra.controller.view.UserView;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows which claims hold which GPUs. */
@Command(
    name = "who",
    description = {
      "Shows which claims and pods hold which GPUs.",
      "With -n or -A sorted by claim: which GPUs the claims of a namespace hold."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class WhoCommand extends ClusterCommand {
  private static final String NOT_HELD = "-";

  @Parameters(
      arity = "0..1",
      paramLabel = "GPU|NODE",
      description = "only of this node, or this GPU: its UUID, or gpu-0, or worker-1/gpu-0")
  private @Nullable String which;

  /** One GPU and one of its holders. */
  private record Row(GpuUse gpu, Optional<DeviceHolder> holder, ImmutableList<Consumer> users) {

    String claim() {
      return holder.map(one -> one.ref().toString()).orElse(NOT_HELD);
    }

    String device() {
      return gpu.node() + "/" + holder.map(DeviceHolder::device).orElse(gpu.name());
    }

    String pods() {
      String names = users.stream().map(Row::name).collect(Collectors.joining(","));
      return names.isEmpty() ? NOT_HELD : names;
    }

    private static String name(Consumer user) {
      return user.resource().equals("pods") ? user.name() : user.resource() + "/" + user.name();
    }

    String state() {
      if (holder.isEmpty()) {
        return "unallocated";
      }
      if (holder.get().draining()) {
        return "draining";
      }
      return holder.get().prepared() ? "prepared" : "granted";
    }

    String since(Instant now) {
      return holder
          .flatMap(DeviceHolder::since)
          .map(at -> AgeText.between(at, now))
          .orElse(NOT_HELD);
    }

    String part() {
      return holder.map(one -> PartText.of(one.part())).orElse(NOT_HELD);
    }
  }

  @Override
  ReadScope readScope() {
    return ReadScope.USE;
  }

  @Override
  int answer(UserView userView) throws IOException {
    boolean byClaim = parent().connection().namesNamespaces();
    List<Row> rows = byClaim ? byClaim(userView) : rows(userView).toList();
    Instant now = userView.now();
    switch (output().format()) {
      case NAME ->
          rows.stream()
              .flatMap(row -> row.holder().stream())
              .map(holder -> "resourceclaim/" + TerminalText.line(holder.ref().name()))
              .distinct()
              .forEach(out()::println);
      case JSON, YAML -> out().print(output().structured(json(rows)));
      case TABLE, WIDE ->
          out().print((byClaim ? ofClaims(now) : ofGpus(now)).text(rows, output().wide()));
    }
    return which != null && rows.isEmpty() ? nothing() : GpudraCommand.ANSWERED;
  }

  private int nothing() {
    err()
        .println(
            "no node and no GPU found with the name " + TerminalText.line(String.valueOf(which)));
    return GpudraCommand.NOT_ANSWERED;
  }

  private List<Row> byClaim(UserView userView) throws IOException {
    String namespace = allNamespaces() ? "" : namespace();
    return rows(userView)
        .filter(row -> row.holder().isPresent())
        .filter(row -> namespace.isEmpty() || isOf(row, namespace))
        .sorted(Comparator.comparing(Row::claim).thenComparing(Row::device))
        .toList();
  }

  private static boolean isOf(Row row, String namespace) {
    return row.holder().filter(one -> one.ref().namespace().equals(namespace)).isPresent();
  }

  private Stream<Row> rows(UserView userView) {
    return NodeUse.all(userView.cluster()).stream()
        .flatMap(node -> node.gpus().stream())
        .filter(this::isWanted)
        .flatMap(gpu -> rows(gpu, userView));
  }

  private Stream<Row> rows(GpuUse gpu, UserView userView) {
    if (gpu.holders().isEmpty()) {
      return which == null
          ? Stream.empty()
          : Stream.of(new Row(gpu, Optional.empty(), ImmutableList.of()));
    }
    return gpu.holders().stream()
        .map(
            holder ->
                new Row(
                    gpu,
                    Optional.of(holder),
                    userView
                        .objects()
                        .consumers()
                        .getOrDefault(holder.claim(), ImmutableList.of())));
  }

  private boolean isWanted(GpuUse gpu) {
    return which == null
        || Stream.of(gpu.node(), gpu.uuid(), gpu.name(), gpu.node() + "/" + gpu.name())
            .anyMatch(which::equals);
  }

  private static ColumnTable<Row> ofGpus(Instant now) {
    return new ColumnTable<>(
        Stream.concat(
                Stream.of(
                    column("GPU", Row::device),
                    column("CLAIM", Row::claim),
                    column("PODS", Row::pods)),
                rest(now))
            .collect(toImmutableList()));
  }

  private static ColumnTable<Row> ofClaims(Instant now) {
    return new ColumnTable<>(
        Stream.concat(
                Stream.of(
                    column("CLAIM", Row::claim),
                    column("PODS", Row::pods),
                    column("GPU", Row::device)),
                rest(now))
            .collect(toImmutableList()));
  }

  private static Stream<ColumnTable.Column<Row>> rest(Instant now) {
    return Stream.of(
        column("WHAT", Row::part),
        column("STATE", Row::state),
        column("SINCE", row -> row.since(now)),
        wide("UUID", row -> row.gpu().uuid()),
        wide("MODEL", row -> row.gpu().gpu().map(gpu -> gpu.model().productName()).orElse("")));
  }

  private static ObjectNode json(List<Row> rows) {
    ObjectNode json = FindingJson.JSON.createObjectNode();
    ArrayNode devices = json.putArray("devices");
    rows.forEach(row -> json(devices.addObject(), row));
    return json;
  }

  private static void json(ObjectNode json, Row row) {
    json.put("node", row.gpu().node()).put("gpu", row.gpu().name()).put("uuid", row.gpu().uuid());
    row.holder().ifPresent(holder -> NodeListJson.holder(json.putObject("claim"), holder));
    ArrayNode pods = json.putArray("pods");
    row.users().forEach(user -> pods.addObject().put("name", user.name()).put("uid", user.uid()));
  }
}
