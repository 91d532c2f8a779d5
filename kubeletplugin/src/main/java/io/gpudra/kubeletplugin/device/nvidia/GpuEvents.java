package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlEvents;
import io.gpudra.kubeletplugin.device.nvml.NvmlEvents.Event;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpu;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to GPUs on a thread and in a session of its own, because waiting for events blocks the
 * session. Listening is suspended while the MIG mode of a GPU is switched.
 */
final class GpuEvents implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(GpuEvents.class);

  private static final Duration WAIT = Duration.ofMillis(100);
  private static final Duration AGAIN = Duration.ofSeconds(5);

  /** Knows the MIG devices of instances. */
  interface Origins {
    ErrorOrigin of(String gpuUuid, Event.Instance where);
  }

  private final Supplier<Path> library;
  private final Origins origins;
  private final GpuHealth health;
  private final Runnable changed;
  private final Semaphore listening = new Semaphore(1, /* fair= */ true);
  private final Thread thread = new Thread(this::run, "gpu-events");
  private volatile boolean over;

  /**
   * No GPU is listened to yet.
   *
   * @param changed runs after each change of the health of a GPU
   */
  GpuEvents(Supplier<Path> library, Origins origins, GpuHealth health, Runnable changed) {
    this.library = library;
    this.origins = origins;
    this.health = health;
    this.changed = changed;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!over) {
        long begun = System.nanoTime();
        boolean complete = listen();
        if (!complete && System.nanoTime() - begun < AGAIN.toNanos()) {
          TimeUnit.MILLISECONDS.sleep(AGAIN.toMillis());
        }
      }
    } catch (InterruptedException e) {
      log.debug("stopped listening to GPU events");
    }
  }

  /** Listens until others wait; returns false after a failure or a loss. */
  private boolean listen() throws InterruptedException {
    listening.acquire();
    try {
      return listenUntilOthersWait();
    } catch (IOException | RuntimeException e) {
      log.warn("cannot listen to GPU events, retrying reason=\"{}\"", e.toString());
      return false;
    } finally {
      listening.release();
    }
  }

  /** Listens until others wait, or until a loss, after which no other events arrive. */
  private boolean listenUntilOthersWait() throws IOException {
    try (Nvml session = Nvml.open(library.get());
        NvmlEvents events = NvmlEvents.of(session)) {
      for (NvmlGpu gpu : session.gpus()) {
        register(events, gpu);
      }
      boolean complete = true;
      while (complete && !over && !listening.hasQueuedThreads()) {
        Optional<Event> event = events.await(WAIT);
        event.ifPresent(one -> happened(events, one));
        complete = event.filter(Event.EventsLost.class::isInstance).isEmpty();
      }
      return complete;
    }
  }

  /** A GPU without events is used like any other; one that fails does not affect the others. */
  private static void register(NvmlEvents events, NvmlGpu gpu) {
    try {
      if (!events.listenTo(gpu)) {
        log.warn("GPU reports no error events gpu={}", gpu.uuid());
      }
    } catch (NvmlException e) {
      log.warn("cannot receive errors of GPU index={} reason=\"{}\"", gpu.index(), e.getMessage());
    }
  }

  private void happened(NvmlEvents events, Event event) {
    boolean news;
    if (event instanceof Event.Xid xid) {
      news = xid(xid);
    } else if (event instanceof Event.DoubleBitError error) {
      news = health.doubleBitError(error.uuid(), origin(origins, error.uuid(), error.instance()));
    } else {
      log.warn("an event reports the loss of a GPU");
      news = lost(events.lost());
    }
    if (news) {
      changed.run();
    }
  }

  /** Handles an XID. Applications can cause any number of those for which no lookup is needed. */
  private boolean xid(Event.Xid xid) {
    Origins known =
        health.isHandled(xid.number())
            ? origins
            : (uuid, where) -> new ErrorOrigin.GpuInstance(where.gpu());
    return health.xid(xid.uuid(), xid.number(), origin(known, xid.uuid(), xid.instance()));
  }

  private static ErrorOrigin origin(Origins known, String uuid, Optional<Event.Instance> instance) {
    return instance.map(where -> known.of(uuid, where)).orElseGet(ErrorOrigin.Anywhere::new);
  }

  private boolean lost(ImmutableSet<String> uuids) {
    return uuids.stream().filter(health::lost).count() > 0;
  }

  /** Work to do while listening is suspended. */
  interface Work {
    void run() throws IOException;
  }

  void silently(Work work) throws IOException {
    listening.acquireUninterruptibly();
    try {
      work.run();
    } finally {
      listening.release();
    }
  }

  /** The session for events has ended, too, unless its driver hangs. */
  @Override
  public void close() {
    over = true;
    thread.interrupt();
    Uninterruptibles.joinUninterruptibly(thread, WAIT.multipliedBy(2));
  }
}
