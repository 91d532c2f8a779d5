package io.gpudra.controller.view.dryrun;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.crds.testing.GpuModels.GIB;
import static io.gpudra.crds.testing.GpuModels.sized;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A cluster of few GPUs as it was read: who has what was granted by the driver itself. */
final class SmallCluster {
  static final String DRIVER = "gpu.resource.example.com";
  static final String CLASS = "gpu.example.com";
  static final Instant NOW = Instant.parse("2026-11-24T08:00:00Z");
  static final String TEAM = "team";

  private static final ClassFacts RESOURCE_CLASS =
      new ClassFacts(CLASS, DRIVER, false, Optional.empty(), Optional.empty());
  private static final GpuModel MODEL =
      GpuModels.model(
          "NVIDIA A30",
          24,
          sized(6 * GIB, GpuModels.profile("1g.6gb", 1, 1, 4, 0, 1, 2, 3)),
          sized(12 * GIB, GpuModels.profile("2g.12gb", 2, 2, 2, 0, 2)),
          sized(24 * GIB, GpuModels.profile("4g.24gb", 4, 4, 1, 0)));

  private final Map<String, Inventory> inventories = new LinkedHashMap<>();
  private final Map<String, GpuClaimParameters> parameters = new LinkedHashMap<>();
  private final Map<ClaimUid, ClaimFacts> claims = new LinkedHashMap<>();

  /** A node of so many GPUs; two neighbours have a link, a PCIe root and a NUMA node. */
  SmallCluster node(String name, int gpus) {
    NodeFixture node = NodeFixture.node(name).gpus(gpus, MODEL).each(SmallCluster::inPairs);
    for (int i = 0; i + 1 < gpus; i += 2) {
      node.linked(/* lanes= */ 4, i, i + 1);
    }
    inventories.put(name, node.inventory());
    return this;
  }

  private static Gpu inPairs(Gpu gpu) {
    int pair = gpu.index() / 2;
    return gpu.toBuilder().pcieRoot("pci0000:0" + pair).numaNode(pair).build();
  }

  /** A claim that waits, for what this spec in single quotes wants. */
  ClaimFacts waits(String name, String spec) {
    parameters.put(
        TEAM + "/" + name,
        new GpuClaimParameters(
            GpuApi.GROUP_VERSION,
            GpuClaimParameters.KIND,
            new V1ObjectMeta().namespace(TEAM).name(name).generation(1L),
            LenientJson.gson().fromJson(spec.replace('\'', '"'), GpuClaimParametersSpec.class)));
    ClaimFacts claim =
        Some.claim(name)
            .in(TEAM)
            .uid("uid-of-" + name)
            .created(NOW)
            .ofClass(CLASS)
            .parameters(
                Optional.of(
                    new ParametersRef(
                        GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(TEAM), name)))
            .facts();
    claims.put(claim.uid(), claim);
    return claim;
  }

  /** As {@link #waits}, and granted there if it fits. */
  boolean has(String name, String node, String spec) {
    ClaimFacts claim = waits(name, spec);
    Allocation found =
        cluster()
            .driver()
            .allocate(pending(claim), new NodeChoice.OneNode(node), new HoldOwner("of the test"));
    claims.remove(claim.uid());
    if (found instanceof Allocation.Held held) {
      Granted granted = new Granted(DRIVER, Optional.of(held.handle(claim.uid())));
      claims.put(claim.uid(), with(claim, Optional.of(granted)));
      return true;
    }
    return false;
  }

  /** What it was granted is prepared on its node. */
  void prepared(String name) {
    ClaimFacts claim = requireNonNull(claims.get(new ClaimUid("uid-of-" + name)));
    String handle = claim.allocation().flatMap(Granted::ours).orElseThrow().data();
    var grant = ((DecodedHandle.Decoded) HandleCodec.decode(handle)).grant();
    PreparedClaim more =
        new PreparedClaim(
            claim.uid(),
            claim.ref(),
            grant.devices().stream().map(GrantedDevice::part).collect(toImmutableList()),
            Optional.empty());
    inventories.computeIfPresent(
        grant.node(), (node, before) -> NodeFixture.like(before).prepared(more).inventory());
  }

  /** It is given back; what is prepared of it stays. */
  void givesBack(String name) {
    claims.computeIfPresent(
        new ClaimUid("uid-of-" + name), (uid, claim) -> with(claim, Optional.empty()));
  }

  /** It is not there any more, on its node neither. */
  SmallCluster without(Set<ClaimUid> gone) {
    SmallCluster other = new SmallCluster();
    other.parameters.putAll(parameters);
    claims.forEach(
        (uid, claim) -> {
          if (!gone.contains(uid)) {
            other.claims.put(uid, claim);
          }
        });
    inventories.forEach(
        (name, node) ->
            other.inventories.put(
                name,
                NodeFixture.like(node)
                    .unprepared(claim -> gone.contains(claim.uid()))
                    .inventory()));
    return other;
  }

  /** Who has something of a node, granted or only prepared. */
  Set<ClaimUid> occupants(String node) {
    ClusterSnapshot read = cluster();
    List<ClaimUid> prepared = new ArrayList<>();
    requireNonNull(inventories.get(node)).prepared().forEach(claim -> prepared.add(claim.uid()));
    return Sets.union(read.ledgers().ledger(node).claims(), ImmutableSet.copyOf(prepared));
  }

  ImmutableSet<String> nodes() {
    return ImmutableSet.copyOf(inventories.keySet());
  }

  ImmutableList<PendingClaim<GpuRequest>> pending(ClaimFacts... some) {
    ClusterSnapshot read = cluster();
    ImmutableList.Builder<PendingClaim<GpuRequest>> all = ImmutableList.builder();
    for (ClaimFacts claim : some) {
      DriverParameters<GpuRequest> found = read.driver().parameters(RESOURCE_CLASS, claim);
      all.add(
          new PendingClaim<>(
              claim, RESOURCE_CLASS, ((DriverParameters.Ready<GpuRequest>) found).value()));
    }
    return all.build();
  }

  ClusterSnapshot cluster() {
    return ClusterSnapshot.of(reading(), DRIVER, NOW);
  }

  ClusterObjects reading() {
    return new ClusterObjects(
        ImmutableList.copyOf(claims.values()),
        ImmutableMap.of(CLASS, RESOURCE_CLASS),
        ImmutableMap.copyOf(parameters),
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableList.copyOf(inventories.values()),
        ImmutableMap.of(),
        ImmutableList.of());
  }

  private static ClaimFacts with(ClaimFacts claim, Optional<Granted> granted) {
    return Some.of(claim).withFinalizer(granted.isPresent()).allocation(granted).facts();
  }
}
