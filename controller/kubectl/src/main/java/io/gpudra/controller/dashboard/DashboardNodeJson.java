package io.gpudra.controller.dashboard;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.kube.mapping.CachedClaim.Consumer;
import io.gpudra.controller.view.DeviceHolder;
import io.gpudra.controller.view.GpuUse;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One node as the page is sent it, in arrays, since there may be thousands:
 *
 * <pre>
 * node:   [name, why it gets no grants, [[model, bytes of memory]…], [gpu…]]
 * gpu:    [name, UUID, letter of its status, which of the models or -1, thousandths taken, note, [holder…]]
 * holder: [namespace, claim, device, granted at in seconds or 0, W(hole), M(IG device) or S(hare), [pod…]]
 * </pre>
 */
final class DashboardNodeJson {
  private static final int THOUSANDTHS = 1000;
  private static final int UNKNOWN = -1;

  private final ImmutableMap<ClaimUid, ImmutableList<Consumer>> consumers;
  private final List<List<Object>> models = new ArrayList<>();

  private DashboardNodeJson(ImmutableMap<ClaimUid, ImmutableList<Consumer>> consumers) {
    this.consumers = consumers;
  }

  static String of(NodeUse node, ImmutableMap<ClaimUid, ImmutableList<Consumer>> consumers) {
    DashboardNodeJson json = new DashboardNodeJson(consumers);
    List<List<Object>> gpus = node.gpus().stream().map(json::gpu).toList();
    return DashboardJson.text(List.of(node.name(), node.refusal().orElse(""), json.models, gpus));
  }

  private List<Object> gpu(GpuUse use) {
    return List.of(
        use.name(),
        use.uuid(),
        letter(use.status()),
        use.gpu().map(this::model).orElse(UNKNOWN),
        Math.round(use.portion() * THOUSANDTHS),
        use.gpu().map(DashboardNodeJson::note).orElse(""),
        use.holders().stream().map(this::holder).toList());
  }

  /** The letter of the status in page.js. */
  static String letter(GpuStatus status) {
    return switch (status) {
      case LOST -> "L";
      case STALE -> "S";
      case TAINTED -> "T";
      case DRAINING -> "D";
      case GRANTED -> "G";
      case PARTLY_FREE -> "P";
      case FREE -> "F";
    };
  }

  private static String letter(Part part) {
    if (part instanceof Part.Whole) {
      return "W";
    }
    return part instanceof Part.Slice ? "M" : "S";
  }

  private int model(Gpu gpu) {
    List<Object> model = List.of(gpu.model().productName(), gpu.memoryBytes());
    if (!models.contains(model)) {
      models.add(model);
    }
    return models.indexOf(model);
  }

  private static String note(Gpu gpu) {
    Stream<String> ofMigDevices =
        gpu.mig().devices().stream()
            .flatMap(
                device ->
                    device.taints().stream()
                        .map(taint -> device.slice().nameOn(gpu.name()) + " " + note(taint)));
    return Stream.concat(gpu.taints().stream().map(DashboardNodeJson::note), ofMigDevices)
        .collect(Collectors.joining("; "));
  }

  private static String note(DeviceTaint taint) {
    String written =
        taint.key()
            + (taint.value().isEmpty() ? "" : "=" + taint.value())
            + ":"
            + taint.effect().text();
    return taint.reason().isEmpty() ? written : written + " (" + taint.reason() + ")";
  }

  private List<Object> holder(DeviceHolder holder) {
    return List.of(
        holder.ref().namespace(),
        holder.ref().name(),
        holder.device(),
        holder.since().map(Instant::getEpochSecond).orElse(0L),
        letter(holder.part().part()),
        consumers.getOrDefault(holder.claim(), ImmutableList.of()).stream()
            .filter(consumer -> consumer.resource().equals("pods"))
            .map(Consumer::name)
            .toList());
  }
}
