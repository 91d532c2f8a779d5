package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import com.google.common.primitives.ImmutableIntArray;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The members of each kind for which a node has room at once. Confined to one thread. */
final class NodeRoom {
  private static final int MAX_REQUESTS = 256;

  private final ImmutableList<MemberKind> kinds;
  private final SearchBudget budget;

  /** Requests of nodes that have the same room. */
  private final Map<ImmutableIntArray, PodRequest> requests = new HashMap<>();

  private int searches;
  private boolean unsure;

  NodeRoom(ImmutableList<MemberKind> kinds, SearchBudget budget) {
    this.kinds = kinds;
    this.budget = budget;
  }

  /** The number of placements that were searched so far. */
  int searches() {
    return searches;
  }

  /** Whether the budget or the time of the pass is used up. */
  boolean isOver() {
    return budget.isOver() || budget.isLate();
  }

  /**
   * Whether the budget or the time was too small for a search, or one failed, so that there may be
   * more room.
   */
  boolean isUnsure() {
    return unsure;
  }

  /** Whether the node admits members of this kind; no node does once the time is over. */
  boolean isAdmitted(NodeLedger ledger, int kind) {
    return !isLate() && kinds.get(kind).isAdmitted(ledger.inventory().node());
  }

  /**
   * Whether the node admits these members of each kind, and has room for them; false if that cannot
   * be found out.
   */
  boolean suits(NodeLedger ledger, ImmutableIntArray counts) {
    return FaultIsolation.evaluate(() -> admitsAndFits(ledger, counts), why -> false);
  }

  private boolean admitsAndFits(NodeLedger ledger, ImmutableIntArray counts) {
    return IntStream.range(0, counts.length())
            .allMatch(kind -> counts.get(kind) == 0 || maySuit(ledger, kind, counts.get(kind)))
        && fits(ledger, counts);
  }

  private boolean maySuit(NodeLedger ledger, int kind, int count) {
    return count <= bound(ledger, kind) && isAdmitted(ledger, kind);
  }

  /**
   * The number of further members of a kind for which the node has room.
   *
   * @param beside the members of each kind that the node gets in any case
   * @param most that are wanted
   */
  int more(NodeLedger ledger, int[] beside, int kind, int most) {
    return FaultIsolation.evaluate(
        () -> room(ledger, beside, kind, most),
        why -> {
          unsure = true;
          return 0;
        });
  }

  private int room(NodeLedger ledger, int[] beside, int kind, int most) {
    int limit = isAdmitted(ledger, kind) ? Math.min(most, bound(ledger, kind)) : 0;
    if (limit == 0) {
      return 0;
    }
    // Whole GPUs that are free nearly always match.
    return kinds.get(kind).wholeGpus() > 0 && fits(ledger, plus(beside, kind, limit))
        ? limit
        : search(ledger, beside, kind, limit);
  }

  /** Whole GPUs must be free; nothing is known of other devices. */
  private int bound(NodeLedger ledger, int kind) {
    int gpus = kinds.get(kind).wholeGpus();
    return gpus == 0 ? Integer.MAX_VALUE : Long.bitCount(ledger.freeMask()) / gpus;
  }

  private int search(NodeLedger ledger, int[] beside, int kind, int most) {
    int fits = 0;
    int step = 1;
    while (fits < most && fits(ledger, plus(beside, kind, Math.min(most, fits + step)))) {
      fits = Math.min(most, fits + step);
      step *= 2;
    }
    // The room ends before fits + step.
    for (int next = step / 2; next > 0; next /= 2) {
      if (fits + next <= most && fits(ledger, plus(beside, kind, fits + next))) {
        fits += next;
      }
    }
    return fits;
  }

  private static ImmutableIntArray plus(int[] beside, int kind, int more) {
    int[] counts = beside.clone();
    counts[kind] += more;
    return ImmutableIntArray.copyOf(counts);
  }

  private boolean fits(NodeLedger ledger, ImmutableIntArray counts) {
    return !isLate() && isWithin(ledger, counts) && hasDevices(ledger, counts);
  }

  private boolean isLate() {
    boolean late = budget.isLate();
    unsure |= late;
    return late;
  }

  private boolean isWithin(NodeLedger ledger, ImmutableIntArray counts) {
    Map<String, Long> sum = new HashMap<>();
    for (int kind = 0; kind < counts.length(); kind++) {
      kinds
          .get(kind)
          .size(counts.get(kind))
          .forEach((resource, size) -> sum.merge(resource, size, LongMath::saturatedAdd));
    }
    Map<String, Long> allocatable = ledger.inventory().node().allocatable();
    return sum.entrySet().stream()
        .allMatch(one -> one.getValue() <= allocatable.getOrDefault(one.getKey(), 0L));
  }

  private boolean hasDevices(NodeLedger ledger, ImmutableIntArray counts) {
    searches++;
    budget.nextNode();
    if (requests.size() == MAX_REQUESTS) {
      requests.clear();
    }
    PodRequest request = requests.computeIfAbsent(counts, this::request);
    Optional<Boolean> fits =
        FaultIsolation.evaluate(
            () -> Optional.of(PodPlacer.hasRoom(ledger, request, budget)), why -> Optional.empty());
    unsure |= fits.map(yes -> !yes && budget.spent()).orElse(true);
    return fits.orElse(false);
  }

  private PodRequest request(ImmutableIntArray counts) {
    Stream<ClaimRequest> claims = Stream.of();
    int first = 0;
    for (int kind = 0; kind < counts.length(); kind++) {
      claims = Stream.concat(claims, kinds.get(kind).copies(first, counts.get(kind)));
      first += counts.get(kind) * kinds.get(kind).claims().size();
    }
    return new PodRequest(claims.collect(toImmutableList()));
  }
}
