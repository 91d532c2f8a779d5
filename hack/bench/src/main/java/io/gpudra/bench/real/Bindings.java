package io.gpudra.bench.real;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import io.gpudra.bench.process.Subprocess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads the audit log until all pods of a namespace are bound, or nothing happens any more. */
final class Bindings implements AutoCloseable {
  /** The scheduler tries what it could not schedule anew after five minutes at the latest. */
  private static final Duration STUCK = Duration.ofMinutes(6);

  private static final Duration PAUSE = Duration.ofMillis(200);

  private final AuditLog log;
  private final List<AuditEvent> events = new ArrayList<>();
  private final Multiset<String> bound = HashMultiset.create();

  Bindings(AuditLog log) {
    this.log = log;
  }

  /** Returns how many are never bound. */
  int await(String namespace, int pods, Subprocess driver)
      throws IOException, InterruptedException {
    int seen = -1;
    long giveUp = 0;
    while (bound.count(namespace) < pods) {
      if (bound.count(namespace) > seen) {
        seen = bound.count(namespace);
        giveUp = System.nanoTime() + STUCK.toNanos();
      } else if (System.nanoTime() - giveUp > 0) {
        break;
      }
      driver.mustLive();
      Thread.sleep(PAUSE.toMillis());
      read();
    }
    return pods - bound.count(namespace);
  }

  private void read() throws IOException {
    for (AuditEvent event : log.next()) {
      events.add(event);
      if (event.bindsPod()) {
        bound.add(event.namespace());
      }
    }
  }

  /** All that were read so far. */
  ImmutableList<AuditEvent> events() {
    return ImmutableList.copyOf(events);
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
