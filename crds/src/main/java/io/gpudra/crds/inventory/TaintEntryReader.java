package io.gpudra.crds.inventory;

import static com.google.common.base.Strings.nullToEmpty;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.NodeInventorySpec;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Taints that keep claims away from GPUs: the plugin's taints are at the GPU or at a MIG device of
 * it, the administrators' in the spec. A taint whose effect alone is not readable keeps new claims
 * away.
 */
final class TaintEntryReader {

  /** A taint, and its GPU or all GPUs. */
  private record OnDevice(String path, String device, DeviceTaint taint) {
    private boolean isOn(String name, String uuid) {
      return device.equals(NodeInventorySpec.EVERY_DEVICE)
          || device.equals(name)
          || device.equals(uuid);
    }
  }

  private final FieldReader fields;
  private final ImmutableList<OnDevice> ofSpec;

  TaintEntryReader(@Nullable NodeInventorySpec spec, FieldReader fields) {
    this.fields = fields;
    this.ofSpec = fields.each("spec.taints", spec == null ? null : spec.taints(), this::onDevice);
  }

  private Optional<OnDevice> onDevice(String path, NodeInventorySpec.Taint taint) {
    String device = taint.device() == null ? NodeInventorySpec.EVERY_DEVICE : taint.device();
    return fields
        .text(path + ".key", taint.key())
        .map(
            key ->
                new DeviceTaint(
                    key,
                    nullToEmpty(taint.value()),
                    effect(path + ".effect", taint.effect()),
                    nullToEmpty(taint.reason()),
                    Optional.empty(),
                    fields.time(path + ".until", taint.until())))
        .map(read -> new OnDevice(path, device, read));
  }

  private Effect effect(String path, @Nullable String text) {
    Optional<Effect> effect = Effect.of(text);
    if (effect.isEmpty()) {
      fields.notFound(path, nullToEmpty(text), "one of NoSchedule, NoExecute");
    }
    return effect.orElse(Effect.NO_SCHEDULE);
  }

  /** The taints of one GPU. */
  ImmutableList<DeviceTaint> of(
      String path, String name, String uuid, @Nullable List<NodeInventoryStatus.Taint> ofStatus) {
    Stream<DeviceTaint> administrators =
        ofSpec.stream().filter(taint -> taint.isOn(name, uuid)).map(OnDevice::taint);
    return Stream.concat(ofPlugin(path, ofStatus).stream(), administrators)
        .distinct()
        .collect(ImmutableList.toImmutableList());
  }

  /** The taints at a device. */
  ImmutableList<DeviceTaint> ofPlugin(String path, @Nullable List<NodeInventoryStatus.Taint> all) {
    return fields.each(path, all, this::ofPlugin);
  }

  private Optional<DeviceTaint> ofPlugin(String path, NodeInventoryStatus.Taint taint) {
    return fields
        .text(path + ".key", taint.key())
        .map(
            key ->
                new DeviceTaint(
                    key,
                    nullToEmpty(taint.value()),
                    effect(path + ".effect", taint.effect()),
                    nullToEmpty(taint.reason()),
                    fields.time(path + ".timeAdded", taint.timeAdded()),
                    Optional.empty()));
  }

  /** Reports a misspelled name, which would otherwise cordon nothing silently. */
  void checkDevices(List<Gpu> gpus) {
    ImmutableSet<String> known =
        gpus.stream()
            .flatMap(gpu -> Stream.of(gpu.name(), gpu.uuid()))
            .collect(ImmutableSet.toImmutableSet());
    ofSpec.stream()
        .filter(taint -> !taint.device.equals(NodeInventorySpec.EVERY_DEVICE))
        .filter(taint -> !gpus.isEmpty() && !known.contains(taint.device))
        .forEach(
            taint -> fields.notFound(taint.path + ".device", taint.device, "a GPU of the node"));
  }
}
