package io.gpudra.kubeletplugin.kube;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.kubeletplugin.kube.InventoryWriter.Result;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's NodeInventory up to date. A first change is published at once, further changes
 * together, and a heartbeat when nothing changes. Failed attempts are repeated forever.
 */
public final class InventoryPublisher implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(InventoryPublisher.class);
  private static final Duration RUNNING_ATTEMPT = Duration.ofSeconds(4);
  private static final Duration LAST_ATTEMPT = Duration.ofSeconds(4);
  private static final String NOT_KNOWN =
      "the API server does not tell whether a device plugin hands out GPUs of the node";

  /** The maximum time of {@link #close}. */
  public static final Duration MAX_STOP = RUNNING_ATTEMPT.plus(LAST_ATTEMPT);

  private final InventoryWriter writer;
  private final InventoryCodec.Publisher by;
  private final Supplier<Optional<Inventory>> inventory;
  private final PublishInterval publishInterval;
  private final Clock clock;
  private final Meter written;
  private final Meter failed;

  private final ReentrantLock lock = new ReentrantLock();
  private final java.util.concurrent.locks.Condition changed = lock.newCondition();
  // Guarded by lock.
  private PluginStatus pluginStatus = PluginStatus.STARTING;
  private Instant readySince;
  private Instant intactSince;
  private boolean dirty = true;
  private boolean closed;
  private Thread thread = new Thread(() -> {});

  /**
   * Nothing is published yet.
   *
   * @param inventory current devices and holdings of the node; empty until the API server has
   *     reported the GPUs that device plugins hand out there
   */
  public InventoryPublisher(
      InventoryWriter writer,
      InventoryCodec.Publisher by,
      Supplier<Optional<Inventory>> inventory,
      PublishInterval publishInterval,
      Clock clock,
      MetricRegistry metrics) {
    this.writer = writer;
    this.by = by;
    this.inventory = inventory;
    this.publishInterval = publishInterval;
    this.clock = clock;
    this.readySince = clock.instant();
    this.intactSince = readySince;
    this.written = metrics.meter("gpudra.plugin.publish.outcome.done");
    this.failed = metrics.meter("gpudra.plugin.publish.outcome.failed");
  }

  /**
   * Publishes from now on.
   *
   * @param onOtherDriver called, on a thread of its own, when another driver's plugin serves the
   *     node; then nothing is published any more
   */
  public void start(Consumer<String> onOtherDriver) {
    lock.lock();
    try {
      thread = new Thread(() -> run(onOtherDriver), "inventory");
      thread.setDaemon(true);
      thread.start();
    } finally {
      lock.unlock();
    }
  }

  /** The content of the inventory has changed. Returns at once. */
  public void changed() {
    lock.lock();
    try {
      dirty = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The readiness has changed. Returns at once. */
  public void become(ReadyCondition next) {
    become(before -> before.with(next));
  }

  /**
   * Reports why no GPU of the node can be reached, if so, and the PCI addresses of the GPUs that
   * the driver does not list. Returns at once.
   */
  public void reaches(Optional<String> driverProblem, ImmutableSet<String> unlisted) {
    become(before -> before.with(driverProblem, unlisted));
  }

  /** Reports problems of the directories to which the plugin writes. Returns at once. */
  public void found(Optional<String> stateProblem, Optional<String> cdiProblem) {
    become(before -> before.with(stateProblem, cdiProblem));
  }

  /** Reports why the container runtime would not read CDI specs, if so. Returns at once. */
  public void read(Optional<String> runtimeProblem) {
    become(before -> before.withRuntime(runtimeProblem));
  }

  private void become(UnaryOperator<PluginStatus> change) {
    lock.lock();
    try {
      PluginStatus before = pluginStatus;
      pluginStatus = change.apply(before);
      if (pluginStatus.equals(before)) {
        return;
      }
      if (pluginStatus.ready().ready() != before.ready().ready()) {
        readySince = clock.instant();
      }
      if (pluginStatus.stateIntact().ready() != before.stateIntact().ready()) {
        intactSince = clock.instant();
      }
    } finally {
      lock.unlock();
    }
    changed();
  }

  /** The readiness in the inventory, current or next. */
  public ReadyCondition readiness() {
    lock.lock();
    try {
      return pluginStatus.ready();
    } finally {
      lock.unlock();
    }
  }

  private void run(Consumer<String> onOtherDriver) {
    int failures = 0;
    Duration rest = Duration.ZERO;
    while (awaitTurn(rest)) {
      Result result = attempt();
      if (result.next() == Result.Next.OTHER_DRIVER) {
        log.error("stopped publishing reason=\"{}\"", result.problem());
        onOtherDriver.accept(result.problem());
        return;
      }
      boolean done = result.next() == Result.Next.DONE;
      logTurn(failures, done, result.problem());
      failures = done ? 0 : failures + 1;
      rest = failures == 0 ? publishInterval.quiet() : publishInterval.untilRetry(failures);
    }
  }

  /** Logs the first of many failures, and their end. */
  private static void logTurn(int failuresBefore, boolean done, String problem) {
    if (!done && failuresBefore == 0) {
      log.warn("inventory not published, retrying reason=\"{}\"", problem);
    } else if (!done) {
      log.debug("inventory still not published reason=\"{}\"", problem);
    } else if (failuresBefore > 0) {
      log.info("inventory published again failures={}", failuresBefore);
    }
  }

  /** Waits until there is something to publish, but at least this time; false when closed. */
  private boolean awaitTurn(Duration rest) {
    long start = System.nanoTime();
    long heartbeat = publishInterval.untilHeartbeat().toNanos();
    lock.lock();
    try {
      while (!closed) {
        long due = start + (dirty ? rest.toNanos() : heartbeat) - System.nanoTime();
        if (due <= 0) {
          dirty = false;
          return true;
        }
        changed.await(due, TimeUnit.NANOSECONDS);
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Catches every exception of the loop, so that the next heartbeat comes. */
  private Result attempt() {
    Result result;
    try {
      result =
          inventory
              .get()
              .map(now -> writer.write(believable(now)))
              .orElseGet(() -> Result.retry(NOT_KNOWN));
    } catch (RuntimeException e) {
      log.error("cannot publish the inventory", e);
      result = Result.retry(e.toString());
    }
    if (result.next() == Result.Next.DONE) {
      written.mark();
      return result;
    }
    failed.mark();
    changed();
    return result;
  }

  /** Of implausible hardware only the problem is published: the rest would be rejected. */
  private NodeInventoryStatus believable(Inventory now) {
    ImmutableList<String> problems = InventoryCodec.implausible(status(now));
    become(before -> before.withInventory(problems.stream().findFirst()));
    return status(problems.isEmpty() ? now : now.withoutGpus());
  }

  private NodeInventoryStatus status(Inventory shown) {
    lock.lock();
    try {
      return InventoryCodec.write(
          shown,
          by,
          clock.instant(),
          ImmutableList.of(
              condition(InventoryCodec.READY, pluginStatus.ready(), readySince),
              condition(InventoryCodec.STATE_INTACT, pluginStatus.stateIntact(), intactSince)));
    } finally {
      lock.unlock();
    }
  }

  private static Condition condition(String type, ReadyCondition value, Instant since) {
    return InventoryCodec.condition(type, value.ready(), value.reason(), value.message(), since);
  }

  /** Stops after one last attempt to publish this, unless the API server hangs anyway. */
  @Override
  public void close() {
    Thread running;
    lock.lock();
    try {
      closed = true;
      running = thread;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    become(ReadyCondition.STOPPED);
    if (ended(running, RUNNING_ATTEMPT)) {
      Thread last = new Thread(this::attempt, "inventory-stopped");
      last.setDaemon(true);
      last.start();
      ended(last, LAST_ATTEMPT);
    }
  }

  private static boolean ended(Thread thread, Duration within) {
    try {
      thread.join(within.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
