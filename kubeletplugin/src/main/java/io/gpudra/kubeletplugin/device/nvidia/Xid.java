package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An error of a GPU that the kernel module reports, as in NVIDIA's catalog of XIDs.
 *
 * @param name empty when the number is not known here
 */
record Xid(int number, String name, Action action) {

  /** The repair for an error. */
  enum Action {
    /** No action is needed: the driver reports its own repair. */
    IGNORE(false, false),
    /** The application has ended, and another one may use the GPU at once. */
    RESTART_APPLICATION(false, false),
    /** A memory error that ended the applications that had the memory, and no other. */
    CONTAINED(false, false),
    RESET_GPU(true, true),
    RESTART_NODE(true, true),
    /** Unknown: no new claims, and the present pods stay. */
    UNKNOWN(true, false);

    private final boolean taints;
    private final boolean evicts;

    Action(boolean taints, boolean evicts) {
      this.taints = taints;
      this.evicts = evicts;
    }

    /** Whether the GPU gets no new claims until the repair. */
    boolean taints() {
      return taints;
    }

    /** Whether the repair is not possible before the pods have left. */
    boolean evicts() {
      return evicts;
    }
  }

  private static final ImmutableMap<Integer, Xid> CATALOGUE =
      Stream.of(
              new Xid(8, "idle timeout of a channel", Action.RESTART_APPLICATION),
              new Xid(13, "graphics engine exception", Action.RESTART_APPLICATION),
              new Xid(31, "memory page fault", Action.RESTART_APPLICATION),
              new Xid(32, "corrupted push buffer", Action.RESTART_APPLICATION),
              new Xid(43, "channel stopped", Action.RESTART_APPLICATION),
              new Xid(45, "preemptive cleanup", Action.IGNORE),
              new Xid(46, "GPU stopped processing", Action.RESET_GPU),
              new Xid(48, "double-bit ECC error", Action.RESET_GPU),
              new Xid(62, "internal microcontroller halt", Action.RESET_GPU),
              new Xid(63, "row remapping", Action.IGNORE),
              new Xid(64, "row remapping failed", Action.RESET_GPU),
              new Xid(68, "video processor exception", Action.RESTART_APPLICATION),
              new Xid(69, "graphics engine class error", Action.RESTART_APPLICATION),
              new Xid(74, "NVLink error", Action.RESET_GPU),
              new Xid(79, "fell off the bus", Action.RESTART_NODE),
              new Xid(92, "many corrected ECC errors", Action.IGNORE),
              new Xid(94, "contained ECC error", Action.CONTAINED),
              new Xid(95, "uncontained ECC error", Action.RESET_GPU),
              new Xid(109, "context switch timeout", Action.RESET_GPU),
              new Xid(119, "GSP does not answer", Action.RESET_GPU),
              new Xid(120, "GSP error", Action.RESET_GPU),
              new Xid(140, "unrecovered ECC error", Action.RESET_GPU),
              new Xid(154, "recovery action changed", Action.IGNORE),
              new Xid(156, "resource retirement", Action.RESET_GPU),
              new Xid(160, "channel retirement", Action.IGNORE),
              new Xid(162, "power smoothing", Action.IGNORE),
              new Xid(163, "power smoothing", Action.IGNORE))
          .collect(toImmutableMap(Xid::number, xid -> xid));

  /** Errors without a name of their own, as they are rare. */
  private static final ImmutableMap<Action, ImmutableSet<Integer>> OTHERS =
      ImmutableMap.of(
          Action.IGNORE,
          numbers("14 37-38 44 66-67 93 106-108 121 137 141 152-153 157 161"),
          Action.RESTART_APPLICATION,
          numbers("11 25 39-41 60 70-72 75-77 80 82-86 88-89 96-105 126-135 139"),
          Action.RESET_GPU,
          numbers("110 136 143 155 158"));

  private static ImmutableSet<Integer> numbers(String ranges) {
    return Splitter.on(' ')
        .splitToStream(ranges)
        .map(range -> Splitter.on('-').splitToList(range))
        .flatMapToInt(
            range ->
                IntStream.rangeClosed(
                    Integer.parseInt(range.get(0)), Integer.parseInt(range.get(range.size() - 1))))
        .boxed()
        .collect(toImmutableSet());
  }

  static Xid of(int number) {
    return Optional.ofNullable(CATALOGUE.get(number))
        .orElseGet(() -> new Xid(number, "", actionOf(number)));
  }

  private static Action actionOf(int number) {
    return OTHERS.entrySet().stream()
        .filter(some -> some.getValue().contains(number))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(Action.UNKNOWN);
  }

  /** The text for people: {@code XID 79 (fell off the bus)}. */
  String text() {
    return "XID " + number + (name.isEmpty() ? "" : " (%s)".formatted(name));
  }
}
