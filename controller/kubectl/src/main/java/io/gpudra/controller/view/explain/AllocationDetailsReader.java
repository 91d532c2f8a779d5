package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.view.NodeUse;
import io.gpudra.controller.view.explain.AllocationDetails.Consumer;
import io.gpudra.controller.view.explain.AllocationDetails.Device;
import io.gpudra.controller.view.explain.ClaimDetails.State;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.Inventory.Service;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Finds the allocations of claims. */
record AllocationDetailsReader(ObjectLookup lookup) {
  /** The allocation; empty if the claim is not allocated, or its devices are unknown. */
  Optional<AllocationDetails> of(ClaimFacts claim) {
    return claim
        .allocation()
        .flatMap(ClaimFacts.Granted::ours)
        .flatMap(handle -> handle.node())
        .map(node -> NodeUse.of(lookup.clusterView().cluster().ledgers().ledger(node)))
        .flatMap(node -> of(claim, node));
  }

  private Optional<AllocationDetails> of(ClaimFacts claim, NodeUse node) {
    ImmutableList<Device> devices =
        devices(node)
            .filter(own -> own.own().claim().equals(claim.uid()))
            .collect(toImmutableList());
    return grant(claim, node).map(grant -> story(claim, node, grant, devices));
  }

  /** The grant; a monitor claim is allocated without devices of its own. */
  private Optional<Grant> grant(ClaimFacts claim, NodeUse node) {
    return Optional.ofNullable(
            lookup.clusterView().cluster().ledgers().ledger(node.name()).holds().get(claim.uid()))
        .flatMap(hold -> hold.inApi());
  }

  private static Stream<Device> devices(NodeUse node) {
    return node.gpus().stream()
        .flatMap(gpu -> gpu.holders().stream().map(holder -> new Device(holder, gpu)));
  }

  private AllocationDetails story(
      ClaimFacts claim, NodeUse node, Grant grant, ImmutableList<Device> devices) {
    Optional<String> parameters = claim.parameters().map(ParametersRef::name);
    return new AllocationDetails(
        node.name(),
        Optional.of(grant.at()),
        grant.generation(),
        parameters,
        parameters.map(name -> generation(claim, name)).orElse(OptionalLong.empty()),
        prepared(claim, node),
        devices,
        consumers(claim));
  }

  private OptionalLong generation(ClaimFacts claim, String name) {
    ImmutableMap<String, GpuClaimParameters> all =
        lookup.clusterView().objects().cluster().claimParameters();
    GpuClaimParameters object = all.get(ObjectCache.key(claim.ref().namespace(), name));
    return object == null ? OptionalLong.empty() : object.generation();
  }

  private static Optional<Boolean> prepared(ClaimFacts claim, NodeUse node) {
    return node.inventory().service() instanceof Service.Absent
        ? Optional.empty()
        : Optional.of(
            node.inventory().prepared().stream()
                .anyMatch(prepared -> prepared.uid().equals(claim.uid())));
  }

  private ImmutableList<Consumer> consumers(ClaimFacts claim) {
    return lookup
        .clusterView()
        .objects()
        .consumers()
        .getOrDefault(claim.uid(), ImmutableList.of())
        .stream()
        .map(consumer -> consumer(claim.ref().namespace(), consumer))
        .collect(toImmutableList());
  }

  private Consumer consumer(String namespace, CachedClaim.Consumer consumer) {
    if (!consumer.resource().equals("pods")) {
      return new Consumer(consumer.resource() + " " + consumer.name(), Optional.empty());
    }
    Optional<PodView> pod = lookup.pod(new PodRef(namespace, consumer.name(), consumer.uid()));
    return new Consumer(
        "pod %s/%s".formatted(namespace, consumer.name()),
        pod.map(found -> found.phase() + found.node().map(" on "::concat).orElse("")));
  }

  /** A deleted claim that a node still has prepared. */
  Optional<ClaimDetails> preparedOnly(ClaimRef gone) {
    return NodeUse.all(lookup.clusterView().cluster()).stream()
        .flatMap(node -> preparedOnly(gone, node).stream())
        .findFirst();
  }

  private static Optional<ClaimDetails> preparedOnly(ClaimRef gone, NodeUse node) {
    ImmutableList<Device> devices =
        devices(node)
            .filter(device -> device.own().draining() && device.own().ref().equals(gone))
            .collect(toImmutableList());
    return devices.isEmpty()
        ? Optional.empty()
        : Optional.of(ClaimDetails.granted(gone, State.DRAINING, leftover(node, devices)));
  }

  private static AllocationDetails leftover(NodeUse node, ImmutableList<Device> devices) {
    return new AllocationDetails(
        node.name(),
        Optional.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        Optional.of(true),
        devices,
        ImmutableList.of());
  }
}
