package io.gpudra.simulator.actor;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A part of the cluster that works in steps; who calls them decides about threads and time. */
public interface Actor extends AutoCloseable {

  /** Does one piece of the work that is due now; false when there is none. */
  boolean step();

  /** When the next piece is due; empty when only a change can make some. */
  Optional<Instant> nextDue();

  /** Blocks until there may be work, at most so long. */
  void awaitWork(Duration atMost) throws InterruptedException;

  @Override
  void close();

  /** An actor all of whose work is in one loop. */
  interface Looping extends Actor {
    KeyedLoop<?> loop();

    @Override
    default boolean step() {
      return loop().step();
    }

    @Override
    default Optional<Instant> nextDue() {
      return loop().nextDue();
    }

    @Override
    default void awaitWork(Duration atMost) throws InterruptedException {
      loop().awaitWork(atMost);
    }
  }
}
