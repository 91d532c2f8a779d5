package io.gpudra.crds.inventory;

import static com.google.common.base.Strings.nullToEmpty;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.NodeInventoryStatus.Device;
import io.gpudra.crds.api.NodeInventoryStatus.MigDevice;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import java.util.Optional;

/**
 * The MIG devices of a GPU. A device that cannot be placed counts as foreign, with a profile that
 * is not in the model. Nothing fits beside it, so the GPU cannot be used until that device is gone.
 */
record MigDevices(FieldReader fields, TaintEntryReader taints) {

  MigState read(String path, Device device, MigMode mode, GpuModel model) {
    String at = path + ".migDevices";
    ImmutableList<MigState.Device> devices =
        fields.each(at, device.migDevices(), (p, entry) -> Optional.of(device(p, entry, model)));
    return new MigState(mode, Boolean.TRUE.equals(device.migSwitchable()), devices);
  }

  private MigState.Device device(String path, MigDevice entry, GpuModel model) {
    String uuid = fields.text(path + ".uuid", entry.uuid()).orElse("");
    return slice(path, entry, model)
        .map(slice -> new MigState.Device(uuid, slice, claim(entry), isForeign(entry)))
        .orElseGet(() -> unknown(uuid))
        .with(taints.ofPlugin(path + ".taints", entry.taints()));
  }

  private Optional<Slice> slice(String path, MigDevice entry, GpuModel model) {
    Optional<Integer> start = fields.atLeast(0, path + ".start", entry.start());
    Optional<Integer> size = fields.atLeast(1, path + ".size", entry.size());
    Optional<MigProfile> profile =
        model.migProfiles().stream()
            .filter(known -> known.name().equals(entry.profile()))
            .findFirst();
    if (profile.isEmpty()) {
      fields.notFound(
          path + ".profile", nullToEmpty(entry.profile()), "listed in the model's migProfiles");
    }
    return start.isEmpty() || size.isEmpty()
        ? Optional.empty()
        : profile.map(
            known ->
                new Slice(
                    known.name(), start.get(), size.get(), known.compute(), Optional.empty()));
  }

  private static MigState.Device unknown(String uuid) {
    Slice nowhere = new Slice("", 0, 1, 1, Optional.empty());
    return new MigState.Device(uuid, nowhere, Optional.empty(), /* foreign= */ true);
  }

  private static Optional<ClaimUid> claim(MigDevice entry) {
    return Optional.ofNullable(entry.claimUID()).filter(uid -> !uid.isEmpty()).map(ClaimUid::new);
  }

  private static boolean isForeign(MigDevice entry) {
    return Boolean.TRUE.equals(entry.foreign());
  }
}
