package io.gpudra.controller.allocation.refusal;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Gpu;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Too few devices for a claim on a node, now or forever. Names the nearest miss: the number of
 * matching devices, and their holders.
 */
public record WholeGpuShortage(Kind kind, NodeLedger ledger, ClaimRequest claim, int shortfall)
    implements NodeRefusal {

  /** The text when a shortage has ended before it is read. */
  public static final String ROOM_BY_NOW = "has room by now";

  /**
   * Empty when the candidates are enough.
   *
   * @param matching devices of the node that match, as bits
   * @param candidates the matching devices that are free and not tainted
   */
  public static Optional<UnsuitableReason> of(
      NodeLedger ledger, ClaimRequest claim, long matching, long candidates) {
    int wanted = claim.only().count();
    int now = Long.bitCount(candidates);
    if (now >= wanted) {
      return Optional.empty();
    }
    Kind kind = kind(wanted, Long.bitCount(matching), now);
    int free = Long.bitCount(matching & ledger.freeMask());
    int shortfall =
        kind.lasting()
            ? kind.distance().shortfall() + wanted - Long.bitCount(matching)
            : Math.max(1, wanted - free);
    boolean tainted = !kind.lasting() && free >= wanted;
    return Optional.of(
        new WholeGpuShortage(tainted ? Kind.TAINTED : kind, ledger, claim, shortfall));
  }

  private static Kind kind(int wanted, int possible, int now) {
    if (possible < wanted) {
      return possible == 0 ? Kind.NONE_MATCH : Kind.TOO_FEW_MATCH;
    }
    return now == 0 ? Kind.ALL_MATCHING_IN_USE : Kind.TOO_FEW_FREE;
  }

  @Override
  public WholeGpuShortage on(NodeLedger other) {
    return new WholeGpuShortage(kind, other, claim, shortfall);
  }

  @Override
  public long bytes() {
    return RequestSize.of(claim);
  }

  @Override
  public String text(NamespaceAudience reader) {
    long gpus = claim.only().devicePredicate().matching(ledger.inventory());
    int matching = Long.bitCount(gpus);
    if (kind.lasting()) {
      return matching == 0
          ? noneMatch()
          : "%s, %d wanted".formatted(head(matching), claim.only().count());
    }
    return kind == Kind.TAINTED ? tainted(matching) : inUse(gpus, reader);
  }

  private String tainted(int matching) {
    return "%s: %s".formatted(head(matching), TaintFilter.text(ledger.inventory().gpus(), claim));
  }

  private String noneMatch() {
    int total = ledger.inventory().gpus().size();
    if (total == 0) {
      return "node has no GPUs";
    }
    String condition = claim.only().devicePredicate().text();
    return "none of %d GPUs %s"
        .formatted(total, condition.isEmpty() ? "can be allocated whole" : "matches " + condition);
  }

  private String head(int matching) {
    int total = ledger.inventory().gpus().size();
    String condition = claim.only().devicePredicate().text();
    if (condition.isEmpty() && matching == total) {
      return counted(total);
    }
    String verb = matching == 1 ? "matches" : "match";
    return "%d of %s %s"
        .formatted(
            matching,
            counted(total),
            condition.isEmpty() ? "can be allocated whole" : verb + " " + condition);
  }

  private static String counted(int gpus) {
    return gpus == 1 ? "1 GPU" : gpus + " GPUs";
  }

  private String inUse(long suiting, NamespaceAudience reader) {
    int matching = Long.bitCount(suiting);
    ImmutableSet<String> draining = ledger.draining();
    List<String> taken = occupiedUuids(suiting);
    Stream<String> drained = taken.stream().filter(draining::contains);
    ImmutableSet<String> occupied = ledger.occupied();
    Stream<String> granted =
        taken.stream().filter(uuid -> occupied.contains(uuid) && !draining.contains(uuid));
    long obstructed = taken.stream().filter(uuid -> !occupied.contains(uuid)).count();
    int free = matching - taken.size();
    if (free >= claim.only().count()) {
      return ROOM_BY_NOW;
    }
    String room =
        claim.only().count() == 1 ? "" : "%d free, %d wanted".formatted(free, claim.only().count());
    return Stream.of(
            head(matching),
            part("granted to", granted.map(this::holder), matching, reader),
            part("draining from", drained.map(this::preparer), matching, reader),
            obstructed == 0 ? "" : obstructed + " cut into MIG devices of others",
            room)
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining(", "));
  }

  /** UUIDs of the matching devices that are occupied, in the order of the node. */
  private List<String> occupiedUuids(long suiting) {
    List<Gpu> gpus = ledger.inventory().gpus();
    long taken = suiting & ~ledger.freeMask();
    return IntStream.range(0, Math.min(Long.SIZE, gpus.size()))
        .filter(i -> (taken >> i & 1) == 1)
        .mapToObj(i -> gpus.get(i).uuid())
        .toList();
  }

  private static String part(
      String verb, Stream<ClaimRef> names, int matching, NamespaceAudience reader) {
    ImmutableMultiset<ClaimRef> each = names.collect(ImmutableMultiset.toImmutableMultiset());
    if (each.isEmpty()) {
      return "";
    }
    return "%s%s %s"
        .formatted(quantity(each.size(), matching), verb, reader.describe(each.elementSet()));
  }

  private static String quantity(int some, int all) {
    if (some < all) {
      return some + " ";
    }
    return switch (all) {
      case 1 -> "";
      case 2 -> "both ";
      default -> "all ";
    };
  }

  private ClaimRef holder(String uuid) {
    return ledger.holds().values().stream()
        .filter(hold -> hold.names(uuid))
        .map(Hold::ref)
        .findFirst()
        .orElseThrow();
  }

  private ClaimRef preparer(String uuid) {
    return ledger.inventory().prepared().stream()
        .filter(prepared -> prepared.deviceUuids().contains(uuid))
        .map(prepared -> prepared.ref())
        .findFirst()
        .orElseThrow();
  }
}
