package io.gpudra.crds.inventory;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Sets;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Device;
import io.gpudra.crds.api.NodeInventoryStatus.Mig;
import io.gpudra.crds.api.NodeInventoryStatus.MigDevice;
import io.gpudra.crds.api.NodeInventoryStatus.Model;
import io.gpudra.crds.api.NodeInventoryStatus.Prepared;
import io.gpudra.crds.api.NodeInventoryStatus.Profile;
import io.gpudra.crds.api.NodeInventoryStatus.Taint;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.wire.WireDevices;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The entries of a status. Empty lists are left out. */
final class StatusEntries {

  private static final int MAX_REASON_CHARACTERS = 256;

  private final Inventory inventory;
  private final ImmutableMap<String, String> names;

  StatusEntries(Inventory inventory) {
    this.inventory = inventory;
    this.names = inventory.gpus().stream().collect(toImmutableMap(Gpu::uuid, Gpu::name));
  }

  int gpusInUse() {
    return (int)
        inventory.prepared().stream()
            .flatMap(claim -> claim.deviceUuids().stream())
            .filter(names::containsKey)
            .distinct()
            .count();
  }

  @Nullable Integer gpusTainted() {
    long tainted = inventory.gpus().stream().filter(Gpu::isTainted).count();
    return tainted == 0 ? null : (int) tainted;
  }

  /**
   * One model for each name. A driver may report less of a GPU than of another one of its product:
   * no NVLink in MIG mode, and no profiles outside of it.
   */
  List<Model> models() {
    return inventory.gpus().stream()
        .map(Gpu::model)
        .collect(toImmutableMap(GpuModel::productName, model -> model, StatusEntries::both))
        .values()
        .stream()
        .map(StatusEntries::model)
        .collect(toImmutableList());
  }

  private static GpuModel both(GpuModel one, GpuModel other) {
    return one.equals(other)
        ? one
        : new GpuModel(
            one.productName(),
            one.brand(),
            one.architecture(),
            one.cudaComputeCapability(),
            one.nominalMemoryBytes(),
            ImmutableSortedSet.copyOf(Sets.union(one.capabilities(), other.capabilities())),
            one.migProfiles().size() < other.migProfiles().size()
                ? other.migProfiles()
                : one.migProfiles());
  }

  private static Model model(GpuModel model) {
    return new Model(
        model.productName(),
        model.brand(),
        model.architecture(),
        model.cudaComputeCapability(),
        model.nominalMemoryBytes(),
        model.capabilities().asList(),
        unlessEmpty(model.migProfiles().stream().map(StatusEntries::profile).toList()));
  }

  private static Profile profile(MigProfile profile) {
    return new Profile(
        profile.name(),
        profile.memoryBytes(),
        profile.compute(),
        profile.size(),
        profile.starts().asList(),
        profile.most());
  }

  List<Device> devices() {
    return inventory.gpus().stream().map(StatusEntries::device).collect(toImmutableList());
  }

  private static Device device(Gpu gpu) {
    return new Device(
        gpu.name(),
        gpu.uuid(),
        gpu.index(),
        gpu.minor(),
        gpu.model().productName(),
        gpu.memoryBytes(),
        gpu.pcieBusId(),
        gpu.pcieRoot(),
        gpu.numaNode(),
        Optional.of(gpu.attributes().texts()).filter(texts -> !texts.isEmpty()).orElse(null),
        mig(gpu.mig().mode()),
        gpu.mig().switchable() ? true : null,
        unlessEmpty(gpu.mig().devices().stream().map(StatusEntries::migDevice).toList()),
        taints(gpu.taints()));
  }

  private static Mig mig(Gpu.MigMode mode) {
    return switch (mode) {
      case UNSUPPORTED -> Mig.UNSUPPORTED;
      case DISABLED -> Mig.DISABLED;
      case ENABLED -> Mig.ENABLED;
    };
  }

  private static MigDevice migDevice(MigState.Device device) {
    return new MigDevice(
        device.uuid(),
        device.slice().profile(),
        device.slice().start(),
        device.slice().size(),
        device.claim().map(ClaimUid::value).orElse(null),
        device.foreign() ? true : null,
        taints(device.taints()));
  }

  private static @Nullable List<Taint> taints(List<DeviceTaint> taints) {
    return unlessEmpty(taints.stream().map(StatusEntries::taint).toList());
  }

  private static Taint taint(DeviceTaint taint) {
    return new Taint(
        taint.key(),
        Strings.emptyToNull(taint.value()),
        taint.effect().text(),
        Strings.emptyToNull(reason(taint.reason())),
        taint.since().map(Instant::toString).orElse(null));
  }

  @Nullable List<NodeInventoryStatus.Link> links() {
    return unlessEmpty(inventory.links().stream().map(this::link).toList());
  }

  private NodeInventoryStatus.Link link(GpuLink link) {
    return new NodeInventoryStatus.Link(
        link.gpuUuids().stream().map(this::name).toList(), link.type().text(), link.lanes());
  }

  /** The text as long as there is room for it. */
  private static String reason(String text) {
    return InventoryCodec.shortened(text, MAX_REASON_CHARACTERS);
  }

  List<Prepared> prepared() {
    return inventory.prepared().stream().map(this::prepared).collect(toImmutableList());
  }

  private Prepared prepared(PreparedClaim claim) {
    WireDevices wireDevices =
        WireDevices.of(
            claim.parts().stream().map(part -> new GrantedDevice("", part, false)).toList());
    return new Prepared(
        claim.uid().value(),
        claim.ref().namespace(),
        claim.ref().name(),
        claim.deviceUuids().stream().map(this::name).toList(),
        wireDevices.plain() ? null : wireDevices.entries(),
        unlessEmpty(wireDevices.sharing()),
        claim.orphanedSince().map(Instant::toString).orElse(null),
        claim.waits().map(StatusEntries::reason).orElse(null));
  }

  private String name(String uuid) {
    return names.getOrDefault(uuid, uuid);
  }

  private static <T> @Nullable List<T> unlessEmpty(List<T> list) {
    return list.isEmpty() ? null : list;
  }
}
