package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Limits the searches that a commit loses. A search that is lost to another commit is the progress
 * of that one, but others may hold and release without end, and a node may report changes forever.
 * Confined to one thread.
 */
final class SearchRetries {
  static final int MAX_CHANGES = 3;

  /** Fewer losses are those to a burst that ends. */
  private static final int MIN_LOSSES = 32;

  private static final long MIN_NANOS = Duration.ofSeconds(5).toNanos();

  /** Several such commits in a row leave the loop its limit of one pass. */
  private static final long MAX_NANOS = Duration.ofSeconds(20).toNanos();

  private final LedgerStore store;
  private final PodRequest request;
  private final LongSupplier nanoTime;
  private final long begun;
  private int changes;
  private int losses;

  /**
   * The limit of one commit, from now on.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  SearchRetries(LedgerStore store, PodRequest request, LongSupplier nanoTime) {
    this.store = store;
    this.request = request;
    this.nanoTime = nanoTime;
    this.begun = nanoTime.getAsLong();
  }

  /** The refusal of a node that changes all the time. */
  static CommitResult passedOver(String node, PodRequest request) {
    return CommitResult.notJudged(node, request, "it changed while it was searched");
  }

  /** The result of a commit that lost its search of a node; empty when it searches again. */
  Optional<CommitResult> end(NodeLedger seen) {
    losses++;
    if (store.reportsOtherwise(seen) && ++changes >= MAX_CHANGES) {
      return Optional.of(passedOver(seen.node(), request));
    }
    long spent = nanoTime.getAsLong() - begun;
    boolean enough = losses >= MIN_LOSSES && spent >= MIN_NANOS;
    return enough || spent >= MAX_NANOS
        ? Optional.of(new CommitResult.Changed())
        : Optional.empty();
  }
}
