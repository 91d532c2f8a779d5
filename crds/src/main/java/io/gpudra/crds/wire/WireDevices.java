package io.gpudra.crds.wire;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.GrantedDevice;
import java.util.List;

/**
 * The devices of one claim on the wire.
 *
 * @param sharing the settings to which entries refer; empty when none has one
 */
public record WireDevices(ImmutableList<PartEntry> entries, ImmutableList<SharingEntry> sharing) {

  /** The maximum number of settings of a claim. */
  public static final int MAX_SETTINGS = 8;

  /** The entries to be written. */
  public static WireDevices of(List<GrantedDevice> devices) {
    ImmutableList<SharingEntry> settings =
        devices.stream().map(WireDevices::setting).distinct().collect(toImmutableList());
    return new WireDevices(
        devices.stream()
            .map(device -> PartEntry.of(device, settings.indexOf(setting(device))))
            .collect(toImmutableList()),
        settings.equals(ImmutableList.of(SharingEntry.NONE)) ? ImmutableList.of() : settings);
  }

  private static SharingEntry setting(GrantedDevice device) {
    return SharingEntry.of(device.part().sharing());
  }

  /** Whether all are whole GPUs without any settings. */
  public boolean plain() {
    return sharing.isEmpty()
        && entries.stream()
            .allMatch(entry -> entry.equals(PartEntry.whole(entry.name(), entry.uuid())));
  }

  /**
   * The device of one entry.
   *
   * @throws IllegalArgumentException naming the invalid key
   */
  public static GrantedDevice read(PartEntry entry, List<SharingEntry> settings) {
    return new PartReader(entry, settings).device();
  }
}
