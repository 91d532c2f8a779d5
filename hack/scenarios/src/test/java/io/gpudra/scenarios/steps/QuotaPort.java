package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.quota.QuotaBook;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import java.util.Map;
import java.util.TreeMap;

/** The quotas as one controller was told of them, beside what it commits. */
final class QuotaPort {
  private final World world;
  private final QuotaBook book;
  private final Ledgers ledgers;
  private final Requeuer requeuer;
  private final Map<String, ImmutableList<QuotaLimit>> told = new TreeMap<>();

  QuotaPort(World world, QuotaBook book, Ledgers ledgers, Requeuer requeuer) {
    this.world = world;
    this.book = book;
    this.ledgers = ledgers;
    this.requeuer = requeuer;
    World.NAMESPACES.forEach(namespace -> tell(namespace, world.quotas().of(namespace)));
  }

  void tell(String namespace, ImmutableList<QuotaLimit> limits) {
    told.put(namespace, limits);
    ledgers.withAll(all -> book.limits(namespace, limits, all));
    requeuer.limitsEased(namespace);
  }

  /** What the claims of the namespace hold at least, in the API and in writes. */
  long held(String namespace) {
    return ledgers.snapshot().stream()
        .flatMap(ledger -> ledger.holds().values().stream())
        .filter(hold -> hold.ref().namespace().equals(namespace))
        .map(Hold::devices)
        .mapToLong(Quotas::charge)
        .sum();
  }

  /** After a commit: what was held before must be all, unless the quotas allow more. */
  void mustAllow(String namespace, long before) {
    long now = held(namespace);
    for (QuotaLimit limit : told.get(namespace)) {
      long most = world.quotas().thousandths(limit);
      if (now > before && now > most) {
        world.broken(
            "%s holds %d, and quota %s allows %d (Q1)"
                .formatted(namespace, now, limit.name(), most));
      }
    }
  }

  /** What the status of a quota says at rest. */
  void mustShowUse() {
    for (String namespace : World.NAMESPACES) {
      long held = held(namespace);
      for (QuotaUse use : book.uses(namespace)) {
        if (!world.quotas().isRight(use.used(), held)) {
          world.broken("%s holds %d, and %s is used (Q2)".formatted(namespace, held, use));
        }
      }
    }
  }
}
