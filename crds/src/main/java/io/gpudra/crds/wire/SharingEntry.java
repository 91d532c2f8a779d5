package io.gpudra.crds.wire;

import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.Interval;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How some devices of one claim are shared; values that differ from device to device are in their
 * {@link PartEntry}.
 *
 * @param strategy TimeSlicing, MPS or SpacePartitioning
 * @param interval of TimeSlicing, absent for Default
 * @param threads of MPS, percent for each client
 * @param parts of SpacePartitioning
 */
@WireRecord
public record SharingEntry(
    @Nullable String strategy,
    @Nullable String interval,
    @Nullable Integer threads,
    @Nullable Integer parts) {

  static final SharingEntry NONE = of(SharingStrategy.NONE);

  private static final int ALL_THREADS = 100;
  private static final int MAX_PARTS = 64;

  static SharingEntry of(SharingStrategy sharing) {
    String strategy = sharing.strategy();
    if (sharing instanceof SharingStrategy.TimeSlicing slices) {
      return new SharingEntry(strategy, slices.interval().text(), null, null);
    }
    if (sharing instanceof SharingStrategy.SpacePartitioning space) {
      return new SharingEntry(strategy, null, null, space.parts());
    }
    return new SharingEntry(strategy, null, threads(((SharingStrategy.Mps) sharing)), null);
  }

  private static @Nullable Integer threads(SharingStrategy.Mps mps) {
    OptionalInt percentage = mps.activeThreadPercentage();
    return percentage.isPresent() ? percentage.getAsInt() : null;
  }

  /**
   * The setting of one device.
   *
   * @throws IllegalArgumentException naming the invalid key
   */
  SharingStrategy read(OptionalLong pinnedMemoryBytes) {
    String known = EntryValues.required("strategy", strategy);
    return switch (known) {
      case "TimeSlicing" -> new SharingStrategy.TimeSlicing(readInterval());
      case "MPS" -> new SharingStrategy.Mps(readThreads(), pinnedMemoryBytes);
      case "SpacePartitioning" -> new SharingStrategy.SpacePartitioning(readParts());
      default ->
          throw EntryValues.unsupported("strategy", known, "TimeSlicing, MPS, SpacePartitioning");
    };
  }

  private Interval readInterval() {
    String text = interval == null ? Interval.DEFAULT.text() : interval;
    return Arrays.stream(Interval.values())
        .filter(known -> known.text().equals(text))
        .findFirst()
        .orElseThrow(
            () -> EntryValues.unsupported("interval", text, "Default, Short, Medium, Long"));
  }

  private OptionalInt readThreads() {
    return threads == null
        ? OptionalInt.empty()
        : OptionalInt.of(EntryValues.range("threads", threads, 1, ALL_THREADS));
  }

  private int readParts() {
    return EntryValues.range("parts", EntryValues.required("parts", parts), 1, MAX_PARTS);
  }
}
