package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.kube.mapping.CachedQuota;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.kube.source.ObjectSource;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * All objects that the driver's decisions depend on, listed once and without a watch. The lists are
 * not of one moment, so a change between them may look like an inconsistency.
 *
 * @param claimParameters by {@code namespace/name}
 * @param namespaces labels of namespaces
 * @param quotas by {@code namespace/name}; empty where nothing depends on them
 * @param malformed objects that could not be read, or only in part
 */
public record ClusterObjects(
    ImmutableList<ClaimFacts> claims,
    ImmutableMap<String, ClassFacts> classes,
    ImmutableMap<String, GpuClaimParameters> claimParameters,
    ImmutableMap<String, GpuClassParameters> classParameters,
    ImmutableMap<String, ImmutableMap<String, String>> namespaces,
    ImmutableList<Inventory> inventories,
    ImmutableMap<String, CachedQuota> quotas,
    ImmutableList<MalformedObject> malformed) {

  /**
   * Lists all kinds.
   *
   * @throws IOException if a list is not complete
   */
  public static ClusterObjects of(HttpClients http, KubeSettings settings) throws IOException {
    KindLister kindLister = new KindLister(ObjectSource.listing(http), Optional.empty());
    ClaimMapping mapping = new ClaimMapping(settings.driverName(), settings.finalizer());
    ImmutableList<ClaimFacts> claims =
        kindLister.ofNamespaces(ResourceKinds.claims(mapping::facts)).values().asList();
    ImmutableMap<String, NodeInventory> published =
        kindLister.ofCluster(ResourceKinds.inventories());
    return of(kindLister, settings, claims, published, ImmutableMap.of());
  }

  /** Uses claims, inventories and quotas that were read before. */
  public static ClusterObjects of(
      KindLister kindLister,
      KubeSettings settings,
      ImmutableList<ClaimFacts> claims,
      ImmutableMap<String, NodeInventory> published,
      ImmutableMap<String, CachedQuota> quotas)
      throws IOException {
    ImmutableMap<String, ClassFacts> classes = kindLister.ofCluster(ResourceKinds.classes());
    ImmutableMap<String, GpuClaimParameters> claimParameters =
        kindLister.ofNamespaces(ResourceKinds.claimParameters());
    ImmutableMap<String, GpuClassParameters> classParameters =
        kindLister.ofCluster(ResourceKinds.classParameters());
    ImmutableMap<String, ImmutableMap<String, String>> namespaces =
        kindLister.ofCluster(ResourceKinds.namespaces());
    ImmutableList<Inventory> inventories =
        new Nodes(kindLister, settings, published)
            .inventories(kindLister.ofCluster(ResourceKinds.nodes()));
    return new ClusterObjects(
        claims,
        classes,
        claimParameters,
        classParameters,
        namespaces,
        inventories,
        quotas,
        ImmutableList.copyOf(kindLister.malformed()));
  }

  private record Nodes(
      KindLister kindLister, KubeSettings settings, ImmutableMap<String, NodeInventory> published) {

    ImmutableList<Inventory> inventories(ImmutableMap<String, NodeState> nodes) {
      Instant reference = reference();
      return nodes.values().stream()
          .map(node -> inventory(node, Optional.ofNullable(published.get(node.name())), reference))
          .collect(ImmutableList.toImmutableList());
    }

    /**
     * One snapshot sees no change of a heartbeat, so only our own clock can detect a dead cluster.
     */
    private Instant reference() {
      Instant now = settings.clock().instant();
      return LastHeartbeat.median(
              published.values().stream()
                  .flatMap(object -> Optional.ofNullable(object.status()).stream())
                  .flatMap(status -> status.heartbeat().stream()))
          .filter(now::isBefore)
          .orElse(now);
    }

    private Inventory inventory(NodeState node, Optional<NodeInventory> object, Instant reference) {
      InventoryCodec.Reading reading =
          InventoryCodec.read(object.orElse(NodeFeed.NONE), node, settings.driverName());
      if (!reading.problems().isEmpty()) {
        kindLister.malformed().add(NodeFeed.malformed(node.name(), "", reading.problems()));
      }
      Inventory read = reading.inventory();
      return object
          .map(
              o ->
                  LastHeartbeat.first(o, 0, reference)
                      .serviceAt(read.service(), 0, Optional.of(reference)))
          .map(read::with)
          .orElse(read);
    }
  }
}
