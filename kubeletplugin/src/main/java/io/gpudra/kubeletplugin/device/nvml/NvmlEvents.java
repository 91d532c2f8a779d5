package io.gpudra.kubeletplugin.device.nvml;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableSet;
import com.sun.jna.Pointer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Events of GPUs. Waiting for one blocks the session, so they should have a session of their own.
 */
public final class NvmlEvents implements AutoCloseable {

  private static final long DOUBLE_BIT_ERROR = 2;
  private static final long XID = 8;

  /** All bits are set. */
  private static final int NO_INSTANCE = -1;

  private final Nvml session;
  private final Pointer set;

  /** UUIDs of the registered GPUs: the handle of a lost GPU no longer reveals it. */
  private final Map<Pointer, String> uuids = new HashMap<>();

  private NvmlEvents(Nvml session, Pointer set) {
    this.session = session;
    this.set = set;
  }

  /** A set without GPUs. */
  public static NvmlEvents of(Nvml session) throws NvmlException {
    return new NvmlEvents(
        session,
        session.handle("nvmlEventSetCreate", (library, made) -> library.nvmlEventSetCreate(made)));
  }

  /** An event. */
  public sealed interface Event {

    /**
     * A GPU instance, or a compute instance of it, by the driver's numbers at that time.
     *
     * @param compute absent where the driver names only the GPU instance
     */
    record Instance(int gpu, OptionalInt compute) {}

    /**
     * An error of a GPU, by its UUID; the numbers are NVIDIA's.
     *
     * @param instance in which it occurred, if the driver reports it
     */
    record Xid(String uuid, int number, Optional<Instance> instance) implements Event {}

    /** An error of memory that could not be corrected. */
    record DoubleBitError(String uuid, Optional<Instance> instance) implements Event {}

    /** Some GPU is gone; {@link #lost} may know which. No other events may arrive from then on. */
    record EventsLost() implements Event {}
  }

  /** Registers a GPU, too; returns whether it has any events. */
  public boolean listenTo(NvmlGpu gpu) throws NvmlException {
    long[] types = new long[1];
    boolean tells =
        session.supports(
            "nvmlDeviceGetSupportedEventTypes",
            library -> library.nvmlDeviceGetSupportedEventTypes(gpu.handle(), types));
    long wanted = types[0] & (XID | DOUBLE_BIT_ERROR);
    uuids.put(gpu.handle(), gpu.uuid());
    return tells
        && wanted != 0
        && session.supports(
            "nvmlDeviceRegisterEvents",
            library -> library.nvmlDeviceRegisterEvents(gpu.handle(), wanted, set));
  }

  /** Waits for the next event. */
  public Optional<Event> await(Duration longest) throws NvmlException {
    NvmlStruct event = new NvmlStruct(NvmlStructLayout.EVENT);
    NvmlReturn answer =
        session.answer(
            library -> library.nvmlEventSetWait_v2(set, event.bytes(), (int) longest.toMillis()));
    return switch (answer) {
      case SUCCESS -> read(event);
      case TIMEOUT -> Optional.empty();
      case GPU_IS_LOST -> Optional.of(new Event.EventsLost());
      default -> throw session.refused("nvmlEventSetWait", answer);
    };
  }

  private Optional<Event> read(NvmlStruct event) {
    Optional<String> uuid = uuid(new Pointer(event.big("device")));
    return uuid.isEmpty() ? Optional.of(new Event.EventsLost()) : read(event, uuid.get());
  }

  private static Optional<Event> read(NvmlStruct event, String uuid) {
    long type = event.big("eventType");
    if (type == XID) {
      return Optional.of(new Event.Xid(uuid, (int) event.big("eventData"), instance(event)));
    }
    return type == DOUBLE_BIT_ERROR
        ? Optional.of(new Event.DoubleBitError(uuid, instance(event)))
        : Optional.empty();
  }

  private static Optional<Event.Instance> instance(NvmlStruct event) {
    OptionalInt gpu = instance(event, "gpuInstanceId");
    return gpu.isEmpty()
        ? Optional.empty()
        : Optional.of(new Event.Instance(gpu.getAsInt(), instance(event, "computeInstanceId")));
  }

  private static OptionalInt instance(NvmlStruct event, String field) {
    int number = event.number(field);
    return number == NO_INSTANCE ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** A GPU whose MIG mode was switched has another handle than the registered one. */
  private Optional<String> uuid(Pointer gpu) {
    try {
      String known = uuids.get(gpu);
      return Optional.of(known == null ? new NvmlGpu(session, gpu, -1).uuid() : known);
    } catch (NvmlException e) {
      return Optional.empty();
    }
  }

  /** UUIDs of registered GPUs that are gone. */
  public ImmutableSet<String> lost() {
    return uuids.entrySet().stream()
        .filter(gpu -> isLost(gpu.getKey()))
        .map(Map.Entry::getValue)
        .collect(toImmutableSet());
  }

  private boolean isLost(Pointer gpu) {
    NvmlStruct memory = new NvmlStruct(NvmlStructLayout.MEMORY);
    return session.answer(library -> library.nvmlDeviceGetMemoryInfo(gpu, memory.bytes()))
        == NvmlReturn.GPU_IS_LOST;
  }

  @Override
  public void close() {
    var unused = session.answer(library -> library.nvmlEventSetFree(set));
  }
}
