package io.gpudra.kubeletplugin.device.nvml;

import com.sun.jna.Pointer;
import java.time.Duration;
import java.util.Optional;

/**
 * What GPUs tell by themselves. Whoever waits has the session for as long: it should be one of its
 * own.
 */
public final class NvmlEvents implements AutoCloseable {

  private static final long DOUBLE_BIT_ERROR = 2;
  private static final long XID = 8;

  private final Nvml session;
  private final Pointer set;

  private NvmlEvents(Nvml session, Pointer set) {
    this.session = session;
    this.set = set;
  }

  /** Of no GPU yet. */
  public static NvmlEvents of(Nvml session) throws NvmlException {
    return new NvmlEvents(
        session,
        session.handle("nvmlEventSetCreate", (library, made) -> library.nvmlEventSetCreate(made)));
  }

  /** Something that happened. */
  public sealed interface Event {

    /** Of a GPU, by its UUID; the numbers are NVIDIA's. */
    record Xid(String uuid, int number) implements Event {}

    /** An error of memory that could not be corrected. */
    record DoubleBitError(String uuid) implements Event {}

    /** Some GPU is gone; nobody says which. */
    record Lost() implements Event {}
  }

  /** Hears of a GPU, too; answers whether it tells anything. */
  public boolean listenTo(NvmlGpu gpu) throws NvmlException {
    long[] types = new long[1];
    boolean tells =
        session.supports(
            "nvmlDeviceGetSupportedEventTypes",
            library -> library.nvmlDeviceGetSupportedEventTypes(gpu.handle(), types));
    long wanted = types[0] & (XID | DOUBLE_BIT_ERROR);
    return tells
        && wanted != 0
        && session.supports(
            "nvmlDeviceRegisterEvents",
            library -> library.nvmlDeviceRegisterEvents(gpu.handle(), wanted, set));
  }

  /** Waits for the next. */
  public Optional<Event> await(Duration longest) throws NvmlException {
    Struct event = new Struct(Layout.EVENT);
    NvmlReturn answer =
        session.answer(
            library -> library.nvmlEventSetWait_v2(set, event.bytes(), (int) longest.toMillis()));
    return switch (answer) {
      case SUCCESS -> read(event);
      case TIMEOUT -> Optional.empty();
      case GPU_IS_LOST -> Optional.of(new Event.Lost());
      default -> throw session.refused("nvmlEventSetWait", answer);
    };
  }

  private Optional<Event> read(Struct event) throws NvmlException {
    String uuid = new NvmlGpu(session, new Pointer(event.big("device")), -1).uuid();
    long type = event.big("eventType");
    if (type == XID) {
      return Optional.of(new Event.Xid(uuid, (int) event.big("eventData")));
    }
    return type == DOUBLE_BIT_ERROR
        ? Optional.of(new Event.DoubleBitError(uuid))
        : Optional.empty();
  }

  @Override
  public void close() {
    var unused = session.answer(library -> library.nvmlEventSetFree(set));
  }
}
