package io.gpudra.kubeletplugin.prepare.step;

import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.MigState;
import java.util.Optional;

/**
 * What was created for a claim's MIG device. The driver does not record who created a device, and
 * other software may create one in the same place.
 *
 * @param uuid of the MIG device, where that is known
 */
public record CreatedMigDevice(Extent extent, String uuid) {

  /** The maximum extent of the created device. */
  enum Extent {
    NOTHING,
    /** A process that died may have created the GPU instance, and no more. */
    HALF_PERHAPS,
    /** All devices in its place. */
    ALL,
    /** The MIG device with that UUID. */
    DEVICE
  }

  public static final CreatedMigDevice NOTHING = new CreatedMigDevice(Extent.NOTHING, "");
  public static final CreatedMigDevice HALF_PERHAPS = new CreatedMigDevice(Extent.HALF_PERHAPS, "");
  public static final CreatedMigDevice ALL = new CreatedMigDevice(Extent.ALL, "");

  static CreatedMigDevice device(String uuid) {
    return new CreatedMigDevice(Extent.DEVICE, uuid);
  }

  /** The name of the device in notes. */
  public static Optional<String> nameOf(GrantedDevice device) {
    return device.part().part() instanceof Slice slice && !device.part().existing()
        ? Optional.of(slice.nameOn(device.uuid()))
        : Optional.empty();
  }

  /** The note to write down; empty when a missing note means the same. */
  public Optional<String> note() {
    return switch (extent) {
      case NOTHING, HALF_PERHAPS -> Optional.empty();
      case ALL, DEVICE -> Optional.of(uuid);
    };
  }

  /** The content of a note. */
  public static CreatedMigDevice of(String note) {
    return note.isEmpty() ? ALL : device(note);
  }

  /** Whether a device in the same GPU instance may be the one that was created for the slice. */
  boolean covers(MigState.Device there, Slice slice) {
    return switch (extent) {
      case NOTHING -> false;
      case HALF_PERHAPS -> !there.isWhole();
      case ALL -> true;
      case DEVICE ->
          !there.isWhole() || !there.slice().samePlace(slice) || there.uuid().equals(uuid);
    };
  }

  /** Notes on one MIG device of a claim. */
  public interface Notes {

    CreatedMigDevice made();

    /** Counts for this process at once, and for the next one when all notes are written. */
    void record(CreatedMigDevice createdMigDevice);
  }
}
