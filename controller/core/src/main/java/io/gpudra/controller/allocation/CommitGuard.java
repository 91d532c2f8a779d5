package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import java.util.Optional;

/**
 * Limits on what all nodes together may hold. {@link #ask} and {@link #changed} run under the lock
 * of all ledgers, so they only do arithmetic, and never fail.
 */
public interface CommitGuard {

  /** No limits. */
  CommitGuard NONE =
      new CommitGuard() {
        @Override
        public Before before(PodRequest request) {
          return new Before.GoOn(request);
        }

        @Override
        public Optional<Limit> ask(ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next) {
          return Optional.empty();
        }

        @Override
        public void changed(NodeLedger before, NodeLedger after) {}
      };

  /** Whether a search for the request makes sense. Claims that hold devices count nothing. */
  Before before(PodRequest request);

  /** The limit that keeps these ledgers from becoming the next ones, in the same order. */
  Optional<Limit> ask(ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next);

  /** A ledger changed, by a commit or otherwise; the changes of a node come in their order. */
  void changed(NodeLedger before, NodeLedger after);

  /**
   * A limit that is reached.
   *
   * @param limits the names of all limits that are
   */
  record Limit(UnsuitableReason why, ImmutableSet<String> limits) {}

  /** The answer before a search. */
  sealed interface Before {

    /** To be searched, without the alternatives that cannot be granted. */
    record GoOn(PodRequest request) implements Before {}

    /** Not to be searched: the least that the request needs is too much. */
    record Limited(Limit limit) implements Before {}
  }
}
