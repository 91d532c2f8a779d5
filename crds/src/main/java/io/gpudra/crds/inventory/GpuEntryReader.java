package io.gpudra.crds.inventory;

import static com.google.common.base.Strings.nullToEmpty;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Device;
import io.gpudra.crds.api.NodeInventoryStatus.Mig;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The GPUs of a node. Confined to one reading. */
final class GpuEntryReader {

  private final FieldReader fields;
  private final ProductEntryReader productEntryReader;
  private final TaintEntryReader taints;
  private final Set<String> uuids = new HashSet<>();
  private final Set<String> names = new HashSet<>();

  GpuEntryReader(
      FieldReader fields, ProductEntryReader productEntryReader, TaintEntryReader taints) {
    this.fields = fields;
    this.productEntryReader = productEntryReader;
    this.taints = taints;
  }

  ImmutableList<Gpu> read(NodeInventoryStatus status) {
    ImmutableList<Gpu> gpus =
        fields.each(
            "status.devices",
            status.devices(),
            (path, device) -> gpu(path, device).filter(gpu -> isFirst(path, gpu)));
    taints.checkDevices(gpus);
    return ImmutableList.sortedCopyOf(
        Comparator.comparingInt(Gpu::index).thenComparing(Gpu::uuid), gpus);
  }

  private boolean isFirst(String path, Gpu gpu) {
    if (!uuids.add(gpu.uuid())) {
      fields.duplicate(path, gpu.uuid());
      return false;
    }
    if (!names.add(gpu.name())) {
      fields.duplicate(path, gpu.name());
      return false;
    }
    return true;
  }

  private Optional<Gpu> gpu(String path, Device device) {
    Optional<String> name = fields.text(path + ".name", device.name());
    Optional<String> uuid = fields.text(path + ".uuid", device.uuid());
    Optional<Integer> index = fields.atLeast(0, path + ".index", device.index());
    Optional<Long> memory = fields.atLeast(0, path + ".memory", device.memory());
    Optional<Gpu.MigMode> mig = mig(path + ".mig", device.mig());
    Optional<GpuModel> model =
        memory.flatMap(bytes -> productEntryReader.find(path + ".model", device.model(), bytes));
    if (name.isEmpty() || uuid.isEmpty() || index.isEmpty() || model.isEmpty() || mig.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Gpu.Builder(uuid.get(), index.get(), model.get(), memory.get())
            .name(name.get())
            .minor(Objects.requireNonNullElse(device.minor(), index.get()))
            .pcieBusId(nullToEmpty(device.pcieBusID()))
            .pcieRoot(nullToEmpty(device.pcieRoot()))
            .numaNode(Objects.requireNonNullElse(device.numaNode(), -1))
            .attributes(AttributeValues.parse(device.attributes()))
            .mig(new MigDevices(fields, taints).read(path, device, mig.get(), model.get()))
            .taints(taints.of(path + ".taints", name.get(), uuid.get(), device.taints()))
            .build());
  }

  /**
   * A mode that this version does not know is as bad as none: the GPU might be divided into MIG
   * devices.
   */
  private Optional<Gpu.MigMode> mig(String path, @Nullable Mig mig) {
    if (mig == null) {
      fields.problems().add(path, "Required value: one of Unsupported, Disabled, Enabled");
      return Optional.empty();
    }
    return Optional.of(
        switch (mig) {
          case UNSUPPORTED -> Gpu.MigMode.UNSUPPORTED;
          case DISABLED -> Gpu.MigMode.DISABLED;
          case ENABLED -> Gpu.MigMode.ENABLED;
        });
  }
}
