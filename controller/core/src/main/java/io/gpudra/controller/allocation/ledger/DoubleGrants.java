package io.gpudra.controller.allocation.ledger;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableListMultimap.toImmutableListMultimap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.collect.ImmutableSortedMap.toImmutableSortedMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Conflicting grants in the API. */
final class DoubleGrants {
  /** The devices whose surplus is found at a time; that of others is once these have changed. */
  private static final int MAX_DEVICES = 8;

  private final NodeLedger ledger;
  private final ImmutableListMultimap<String, PartHolding> granted;

  /** The double grants of devices that are granted to one of these claims. */
  DoubleGrants(NodeLedger ledger, Set<ClaimUid> claims) {
    this.ledger = ledger;
    Set<String> devices =
        Maps.filterKeys(ledger.holds(), claims::contains).values().stream()
            .flatMap(hold -> hold.inApi().stream())
            .flatMap(grant -> grant.devices().stream())
            .map(GrantedDevice::uuid)
            .collect(toImmutableSet());
    this.granted =
        ledger.holds().entrySet().stream()
            .flatMap(entry -> inApi(entry, devices))
            .collect(toImmutableListMultimap(holding -> holding.part().gpuUuid(), h -> h));
  }

  private static Stream<PartHolding> inApi(Map.Entry<ClaimUid, Hold> entry, Set<String> devices) {
    return entry.getValue().inApi().stream()
        .flatMap(grant -> grant.devices().stream())
        .filter(device -> devices.contains(device.uuid()))
        .map(device -> new PartHolding(entry.getKey(), device.part()));
  }

  ImmutableList<DoubleGrant> all() {
    return conflicts().collect(toImmutableList());
  }

  private Stream<DoubleGrant> conflicts() {
    return granted.keySet().stream()
        .filter(uuid -> claims(uuid).size() > 1)
        .filter(uuid -> !fit(uuid, granted.get(uuid)))
        .map(uuid -> new DoubleGrant(ledger.node(), uuid, named(claims(uuid))));
  }

  /** Claims that the node has not prepared, each if the others fit without it. */
  ImmutableMap<ClaimUid, ClaimRef> surplus() {
    ImmutableSet<ClaimUid> prepared =
        ledger.inventory().prepared().stream().map(PreparedClaim::uid).collect(toImmutableSet());
    Map<ClaimUid, ClaimRef> surplus = new LinkedHashMap<>();
    conflicts()
        .filter(twice -> !prepared.containsAll(twice.claims().keySet()))
        .limit(MAX_DEVICES)
        .forEach(twice -> addSurplus(twice, prepared, surplus));
    return ImmutableMap.copyOf(surplus);
  }

  private void addSurplus(
      DoubleGrant twice, ImmutableSet<ClaimUid> prepared, Map<ClaimUid, ClaimRef> surplus) {
    ImmutableSet<ClaimUid> last = last(twice, prepared);
    twice
        .claims()
        .forEach(
            (claim, ref) -> {
              if (!prepared.contains(claim) && (last.contains(claim) || fitWithout(twice, claim))) {
                surplus.put(claim, ref);
              }
            });
  }

  private boolean fitWithout(DoubleGrant twice, ClaimUid claim) {
    ImmutableList<PartHolding> all = granted.get(twice.deviceUuid());
    ImmutableList<PartHolding> others =
        all.stream().filter(holding -> !holding.claim().equals(claim)).collect(toImmutableList());
    return fit(twice.deviceUuid(), others);
  }

  /** Earlier claims keep their parts, and prepared ones before all others. */
  private ImmutableSet<ClaimUid> last(DoubleGrant twice, ImmutableSet<ClaimUid> prepared) {
    List<PartHolding> inOrder =
        granted.get(twice.deviceUuid()).stream()
            .sorted(
                Comparator.comparing((PartHolding holding) -> !prepared.contains(holding.claim()))
                    .thenComparing(this::grantedAt)
                    .thenComparing(PartHolding::claim))
            .toList();
    return gpu(twice.deviceUuid())
        .map(gpu -> GpuUsage.surplus(GpuShape.of(gpu), inOrder))
        .orElseGet(() -> twice.claims().keySet());
  }

  private Instant grantedAt(PartHolding holding) {
    return hold(holding.claim()).inApi().orElseThrow().at();
  }

  /** On a device that is gone, only a grant of the whole device is known to exclude others. */
  private boolean fit(String uuid, ImmutableList<PartHolding> parts) {
    return gpu(uuid)
        .map(gpu -> GpuUsage.of(GpuShape.of(gpu), parts).conflict().isEmpty())
        .orElseGet(
            () ->
                parts.stream().map(PartHolding::claim).distinct().count() < 2
                    || parts.stream().noneMatch(p -> p.part().part() instanceof Part.Whole));
  }

  private Optional<Gpu> gpu(String uuid) {
    return ledger.inventory().gpus().stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst();
  }

  private ImmutableSet<ClaimUid> claims(String uuid) {
    return granted.get(uuid).stream().map(PartHolding::claim).collect(toImmutableSet());
  }

  private ImmutableSortedMap<ClaimUid, ClaimRef> named(ImmutableSet<ClaimUid> claims) {
    return claims.stream()
        .collect(
            toImmutableSortedMap(
                Comparator.naturalOrder(), claim -> claim, claim -> hold(claim).ref()));
  }

  private Hold hold(ClaimUid claim) {
    return Objects.requireNonNull(ledger.holds().get(claim));
  }
}
