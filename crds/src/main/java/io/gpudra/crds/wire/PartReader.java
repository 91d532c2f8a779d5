package io.gpudra.crds.wire;

import static com.google.common.base.Strings.nullToEmpty;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads one entry, which may have any content.
 *
 * @param settings the settings to which the entries of the claim refer
 */
record PartReader(PartEntry entry, List<SharingEntry> settings) {

  private static final int MAX_OVERCOMMIT = 400;
  private static final int ALL_MILLICORES = 1_000;

  /**
   * The device; without a name where the entry has none.
   *
   * @throws IllegalArgumentException naming the invalid key
   */
  GrantedDevice device() {
    GrantedPart part =
        new GrantedPart(
            gpu(),
            part(),
            sharing(),
            entry.overcommit() == null ? PartEntry.ALL : overcommit(entry.overcommit()),
            isTrue(entry.existing()),
            inside(),
            Optional.ofNullable(entry.request()));
    return new GrantedDevice(nullToEmpty(entry.name()), part, isTrue(entry.held()));
  }

  private String gpu() {
    return entry.profile() == null
        ? EntryValues.required("uuid", entry.uuid())
        : EntryValues.required("parent", entry.parent());
  }

  private Part part() {
    if (entry.profile() != null) {
      return slice(entry.profile());
    }
    return entry.memory() == null ? new Part.Whole() : share(entry.memory());
  }

  private Part slice(String profile) {
    List<Integer> at = EntryValues.extent("at", entry.at());
    return new Part.Slice(
        EntryValues.required("profile", profile),
        at.get(0),
        at.get(1),
        EntryValues.slices("compute", entry.compute(), 1),
        entry.ci() == null ? Optional.empty() : Optional.of(instance(entry.ci())));
  }

  private static Part.Instance instance(List<Integer> ci) {
    List<Integer> extent = EntryValues.extent("ci", ci);
    return new Part.Instance(extent.get(0), extent.get(1));
  }

  private Part share(String memory) {
    int millicores =
        entry.millicores() == null
            ? 0
            : EntryValues.range("millicores", entry.millicores(), 0, ALL_MILLICORES);
    return new Part.Share(EntryValues.bytes("memory", memory), millicores);
  }

  private SharingStrategy sharing() {
    int position = entry.sharing() == null ? 0 : entry.sharing();
    OptionalLong pinned =
        entry.pinned() == null
            ? OptionalLong.empty()
            : OptionalLong.of(EntryValues.bytes("pinned", entry.pinned()));
    if (settings.isEmpty() && position == 0) {
      return SharingStrategy.NONE;
    }
    SharingEntry setting =
        settings.get(EntryValues.range("sharing", position, 0, settings.size() - 1));
    return EntryValues.required("sharing", setting).read(pinned);
  }

  private Optional<ClaimUid> inside() {
    return entry.inside() == null
        ? Optional.empty()
        : Optional.of(new ClaimUid(EntryValues.required("inside", entry.inside())));
  }

  private static int overcommit(int percent) {
    return EntryValues.range("overcommit", percent, PartEntry.ALL, MAX_OVERCOMMIT);
  }

  private static boolean isTrue(@Nullable Boolean value) {
    return Boolean.TRUE.equals(value);
  }
}
