package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.manifest.ClaimTemplate;
import io.gpudra.controller.manifest.ManifestSet;
import io.gpudra.controller.manifest.Workload;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The claims of a dry run and their allocations. Confined to one thread. */
final class DryRunState {
  private static final HoldOwner REHEARSAL = new HoldOwner("rehearsal");

  private final ClusterSnapshot cluster;
  private final ImmutableMap<String, ClaimTemplate> templates;
  private final Map<ClaimRef, ClaimFacts> claims = new HashMap<>();

  /** The resources that all nodes list. */
  private final ImmutableSet<String> listed;

  DryRunState(ClusterSnapshot cluster, ImmutableMap<String, ClaimTemplate> templates) {
    this.cluster = cluster;
    this.templates = templates;
    this.listed = listed(cluster.reading());
    cluster.reading().claims().forEach(claim -> claims.put(claim.ref(), claim));
  }

  ClusterSnapshot cluster() {
    return cluster;
  }

  ClusterObjects reading() {
    return cluster.reading();
  }

  PodClaims<GpuRequest> podClaims() {
    return new PodClaims<>(cluster.driver(), this::claim, this::resourceClass);
  }

  Optional<ClaimFacts> claim(ClaimRef ref) {
    return Optional.ofNullable(claims.get(ref));
  }

  Optional<ClassFacts> resourceClass(String name) {
    return Optional.ofNullable(reading().classes().get(name));
  }

  Optional<ClaimTemplate> template(String namespace, String name) {
    return Optional.ofNullable(templates.get(namespace + "/" + name));
  }

  void put(ClaimFacts claim) {
    claims.put(claim.ref(), claim);
    cluster.classNames().put(claim.uid(), claim.className());
  }

  /** Generates the claims like the claim controller; returns what is missing. */
  ImmutableList<String> generate(Workload workload, PodFacts pod) {
    ImmutableList.Builder<String> lacking = ImmutableList.builder();
    for (PodClaim entry : pod.claims()) {
      String template = workload.templates().get(entry.name());
      if (template != null && entry.resolution() instanceof Resolution.ResolvedTo to) {
        template(workload.namespace(), template)
            .map(
                found ->
                    found.claim(
                        to.claim(),
                        new ClaimUid(
                            ManifestSet.uid(
                                "ResourceClaim", to.claim().namespace(), to.claim().name())),
                        Optional.of(pod.ref().uid())))
            .ifPresentOrElse(
                this::put,
                () ->
                    lacking.add(
                        "claim \"%s\": ResourceClaimTemplate %s/%s not found"
                            .formatted(entry.name(), workload.namespace(), template)));
      }
    }
    return lacking.build();
  }

  /** The demand without resources that some node does not list: it may have any amount of them. */
  NodeDemand judged(NodeDemand demand) {
    return new NodeDemand(
        demand.required(),
        demand.tolerations(),
        ImmutableMap.copyOf(Maps.filterKeys(demand.size(), listed::contains)));
  }

  /** A node that is gone lists none. */
  private static ImmutableSet<String> listed(ClusterObjects reading) {
    return reading.inventories().stream()
        .map(inventory -> inventory.node().allocatable().keySet())
        .filter(resources -> !resources.isEmpty())
        .reduce((one, other) -> Sets.intersection(one, other).immutableCopy())
        .orElse(ImmutableSet.of());
  }

  /** Allocates devices for all of these claims or for none. */
  Allocation allocate(ImmutableList<PendingClaim<GpuRequest>> wanted, NodeChoice where) {
    return cluster.driver().allocate(wanted, where, REHEARSAL);
  }

  /** Records the allocations. Returns the devices by the name of the claim. */
  ImmutableMap<String, ImmutableList<String>> settled(
      ImmutableList<PendingClaim<GpuRequest>> wanted, Allocation.Held held) {
    ImmutableMap.Builder<String, ImmutableList<String>> devices = ImmutableMap.builder();
    for (PendingClaim<GpuRequest> one : wanted) {
      ResourceHandle handle = held.handle(one.claim().uid());
      granted(one.claim(), handle, REHEARSAL);
      devices.put(one.claim().ref().name(), devices(handle));
    }
    return devices.buildOrThrow();
  }

  /** Records an allocation. */
  void granted(ClaimFacts claim, ResourceHandle handle, HoldOwner owner) {
    cluster.driver().granted(claim.uid(), owner);
    Granted granted = new Granted(cluster.driver().name(), Optional.of(handle));
    put(with(claim, Optional.of(granted), claim.reservedFor()));
  }

  /** The names of the devices. */
  static ImmutableList<String> devices(ResourceHandle handle) {
    return HandleCodec.decode(handle.data()) instanceof DecodedHandle.Decoded withGrant
        ? withGrant.grant().devices().stream()
            .map(GrantedDevice::name)
            .collect(ImmutableList.toImmutableList())
        : ImmutableList.of();
  }

  /** Reserves the claim for the pod. */
  void reserve(ClaimRef ref, String podUid) {
    claims.computeIfPresent(
        ref,
        (unused, claim) ->
            with(
                claim,
                claim.allocation(),
                ImmutableSet.<String>builder().addAll(claim.reservedFor()).add(podUid).build()));
  }

  private static ClaimFacts with(
      ClaimFacts claim, Optional<Granted> granted, ImmutableSet<String> reservedFor) {
    return new ClaimFacts(
        claim.ref(),
        claim.uid(),
        claim.resourceVersion(),
        claim.created(),
        claim.className(),
        claim.parameters(),
        claim.mode(),
        claim.deleting(),
        claim.deallocationRequested(),
        claim.hasFinalizer(),
        claim.hasBuiltinFinalizer(),
        granted,
        claim.mayStillBePrepared(),
        reservedFor,
        claim.ownerUid());
  }
}
