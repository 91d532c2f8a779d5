package io.gpudra.bench.real;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads the audit log until all pods of a namespace are bound. */
final class Bindings implements AutoCloseable {
  private static final Duration LONGEST_RUN = Duration.ofMinutes(10);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final AuditLog log;
  private final List<AuditEvent> events = new ArrayList<>();
  private final Multiset<String> bound = HashMultiset.create();

  Bindings(AuditLog log) {
    this.log = log;
  }

  void await(String namespace, int pods, DriverProcess driver)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + LONGEST_RUN.toNanos();
    while (bound.count(namespace) < pods) {
      if (System.nanoTime() > end) {
        throw new IOException(
            "%d of %d pods of %s bound in time".formatted(bound.count(namespace), pods, namespace));
      }
      driver.mustLive();
      Thread.sleep(PAUSE.toMillis());
      read();
    }
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
