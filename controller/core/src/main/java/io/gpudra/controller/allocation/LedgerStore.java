package io.gpudra.controller.allocation;

import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multiset;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimUid;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The newest ledger of each node, and the nodes on which a claim is held. Reading never waits; the
 * lock only makes a change of both atomic.
 */
final class LedgerStore {

  /** A time before the first change. */
  static final long NEVER = -1;

  private final CommitGuard guard;
  private final Object change = new Object();
  private final ChangeLog log = new ChangeLog();
  private volatile long newest;

  // Both are written with the lock held and read without.
  private final Map<String, NodeLedger> ledgers = new ConcurrentHashMap<>();
  private final Map<ClaimUid, ImmutableSet<String>> whereabouts = new ConcurrentHashMap<>();

  /** Nodes that changed, once for each change of which the listener was not notified yet. */
  private final Multiset<String> unnotified = ConcurrentHashMultiset.create();

  LedgerStore(CommitGuard guard) {
    this.guard = guard;
  }

  NodeLedger ledger(String node) {
    NodeLedger known = ledgers.get(node);
    return known == null ? NodeLedger.unknown(node) : known;
  }

  /** Whether the node reports something else since. */
  boolean reportsOtherwise(NodeLedger seen) {
    return !ledger(seen.node()).inventory().equals(seen.inventory());
  }

  /**
   * The changes after some time.
   *
   * @param time of the last change
   * @param nodes that changed; some may be gone
   * @param all whether the changes are unknown, and the nodes are all nodes
   */
  record Changes(long time, ImmutableSet<String> nodes, boolean all) {}

  Changes changesAfter(long time) {
    if (time == newest) {
      return new Changes(time, ImmutableSet.of(), /* all= */ false);
    }
    synchronized (change) {
      return log.after(time)
          .map(nodes -> new Changes(newest, nodes, /* all= */ false))
          .orElseGet(
              () -> new Changes(newest, ImmutableSet.copyOf(ledgers.keySet()), /* all= */ true));
    }
  }

  Optional<NodeLedger> find(String node) {
    return Optional.ofNullable(ledgers.get(node));
  }

  int size() {
    return ledgers.size();
  }

  ImmutableList<NodeLedger> all() {
    return ImmutableList.copyOf(ledgers.values());
  }

  int heldClaims() {
    return whereabouts.size();
  }

  /** Nodes that hold devices for the claim; several only if another process allocated it, too. */
  ImmutableSet<String> whereabouts(ClaimUid claim) {
    return whereabouts.getOrDefault(claim, ImmutableSet.of());
  }

  /** The result of a compare and set. */
  sealed interface SwapResult {

    /** All ledgers were set. */
    record Done() implements SwapResult {}

    /** A ledger or the condition changed; none was set. */
    record Changed() implements SwapResult {}

    /** The guard refused; none was set. */
    record Limited(CommitGuard.Limit limit) implements SwapResult {}
  }

  /**
   * Compare and set, of all ledgers or none.
   *
   * @param still the condition beside unchanged ledgers
   */
  SwapResult replaceAll(ImmutableList<LedgerChange> changes, BooleanSupplier still) {
    synchronized (change) {
      if (!changes.stream().allMatch(this::isNext) || !still.getAsBoolean()) {
        return new SwapResult.Changed();
      }
      Optional<CommitGuard.Limit> limit =
          guard.ask(all(changes, LedgerChange::before), all(changes, LedgerChange::after));
      if (limit.isPresent()) {
        return new SwapResult.Limited(limit.get());
      }
      changes.forEach(one -> put(one.before(), one.after()));
      return new SwapResult.Done();
    }
  }

  private boolean isNext(LedgerChange change) {
    return ledger(change.before().node()).equals(change.before());
  }

  private static ImmutableList<NodeLedger> all(
      ImmutableList<LedgerChange> changes, Function<LedgerChange, NodeLedger> side) {
    return changes.stream().map(side).collect(ImmutableList.toImmutableList());
  }

  /** The result of a step during which no ledger changes. */
  <T> T locked(Supplier<T> step) {
    synchronized (change) {
      return step.get();
    }
  }

  /** Shows all ledgers, none of which changes meanwhile. */
  void withAll(Consumer<Collection<NodeLedger>> reader) {
    synchronized (change) {
      reader.accept(Collections.unmodifiableCollection(ledgers.values()));
    }
  }

  Optional<LedgerChange> change(String node, UnaryOperator<NodeLedger> step) {
    synchronized (change) {
      return step(ledger(node), step);
    }
  }

  /** Changes all nodes that hold devices for the claim, and this one. */
  ImmutableList<LedgerChange> changeWhereHeld(
      ClaimUid claim, Optional<String> beside, UnaryOperator<NodeLedger> step) {
    synchronized (change) {
      return Stream.concat(whereabouts(claim).stream(), beside.stream())
          .distinct()
          .flatMap(node -> step(ledger(node), step).stream())
          .collect(ImmutableList.toImmutableList());
    }
  }

  private Optional<LedgerChange> step(NodeLedger before, UnaryOperator<NodeLedger> step) {
    NodeLedger after = step.apply(before);
    if (after.equals(before)) {
      return Optional.empty();
    }
    unnotified.add(after.node());
    put(before, after);
    return Optional.of(new LedgerChange(before, after));
  }

  /**
   * These nodes have devices for others although their ledgers did not change; to be called with
   * the lock.
   */
  ImmutableList<NodeLedger> freed(Predicate<String> nodes) {
    ImmutableList<NodeLedger> freed =
        ledgers.values().stream()
            .filter(ledger -> nodes.test(ledger.node()))
            .collect(ImmutableList.toImmutableList());
    freed.forEach(ledger -> unnotified.add(ledger.node()));
    return freed;
  }

  /** The listener was notified of a change of the node. */
  void notified(String node) {
    unnotified.remove(node);
  }

  /** Nodes with changes of which the listener was not notified yet. */
  ImmutableSet<String> unnotified() {
    return ImmutableSet.copyOf(unnotified.elementSet());
  }

  private void put(NodeLedger before, NodeLedger after) {
    if (after.equals(NodeLedger.unknown(after.node()))) {
      ledgers.remove(after.node());
    } else {
      ledgers.put(after.node(), after);
    }
    log.changed(after.node());
    log.keep(ledgers.keySet());
    newest = log.now();
    Sets.difference(before.claims(), after.claims())
        .forEach(claim -> removeFromNode(claim, after.node()));
    Sets.difference(after.claims(), before.claims()).forEach(claim -> came(claim, after.node()));
    // A guard that fails must not leave a commit half done.
    FaultIsolation.evaluate(() -> guard.changed(before, after));
  }

  private void came(ClaimUid claim, String node) {
    Set<String> nodes = Sets.union(whereabouts(claim), Set.of(node));
    whereabouts.put(claim, ImmutableSet.copyOf(nodes));
  }

  private void removeFromNode(ClaimUid claim, String node) {
    Set<String> nodes = Sets.difference(whereabouts(claim), Set.of(node));
    if (nodes.isEmpty()) {
      whereabouts.remove(claim);
    } else {
      whereabouts.put(claim, ImmutableSet.copyOf(nodes));
    }
  }

  /**
   * The time of each node's last change, so that an evaluation of all nodes need only repeat those
   * that changed since. Guarded by the lock of its store.
   */
  static final class ChangeLog {
    /** This number of deleted nodes is not worth a clean-up. */
    private static final int GONE = 64;

    private final NavigableMap<Long, String> nodes = new TreeMap<>();
    private final Map<String, Long> times = new HashMap<>();
    private long now;
    private long forgotten;

    long now() {
      return now;
    }

    void changed(String node) {
      Long before = times.put(node, ++now);
      if (before != null) {
        nodes.remove(before);
      }
      nodes.put(now, node);
    }

    /** Nodes that changed after that time; empty when it is too long ago. */
    Optional<ImmutableSet<String>> after(long time) {
      return time < forgotten
          ? Optional.empty()
          : Optional.of(ImmutableSet.copyOf(nodes.tailMap(time, false).values()));
    }

    /** Forgets deleted nodes once they are the majority. */
    void keep(Set<String> known) {
      if (nodes.size() <= 2 * known.size() + GONE) {
        return;
      }
      nodes.values().retainAll(known);
      times.keySet().retainAll(known);
      forgotten = now;
    }
  }
}
