package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.Kinds;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.inventory.Inventories;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * All that the driver's decisions rest on, listed once and without a watch. The lists are not of
 * one moment: what changes between them may look like a contradiction.
 *
 * @param claimParameters by {@code namespace/name}
 * @param namespaces labels of those whose labels are read
 * @param malformed objects of which nothing, or not everything, could be read
 */
public record ClusterReading(
    ImmutableList<ClaimFacts> claims,
    ImmutableMap<String, ClassFacts> classes,
    ImmutableMap<String, GpuClaimParameters> claimParameters,
    ImmutableMap<String, GpuClassParameters> classParameters,
    ImmutableMap<String, ImmutableMap<String, String>> namespaces,
    ImmutableList<Inventory> inventories,
    ImmutableList<MalformedObject> malformed) {

  /**
   * Lists everything.
   *
   * @throws IOException when a list is not complete
   */
  public static ClusterReading of(HttpClients http, KubeSettings settings) throws IOException {
    return new Lists(http, settings, new ArrayList<>()).read();
  }

  private record Lists(HttpClients http, KubeSettings settings, List<MalformedObject> malformed) {

    ClusterReading read() throws IOException {
      return new ClusterReading(
          list(Kinds.claims(new ClaimMapping(settings.driverName(), settings.finalizer())::facts))
              .values()
              .asList(),
          list(Kinds.classes()),
          list(Kinds.claimParameters()),
          list(Kinds.classParameters()),
          list(Kinds.namespaces()),
          inventories(),
          ImmutableList.copyOf(malformed));
    }

    private <T, V> ImmutableMap<String, V> list(WatchedKind<T, V> kind) throws IOException {
      ImmutableMap.Builder<String, V> found = ImmutableMap.builder();
      new LiveObjects<>(http, kind, malformed::add)
          .list(kept -> found.put(kept.key(), kept.value()));
      return found.buildOrThrow();
    }

    private ImmutableList<Inventory> inventories() throws IOException {
      ImmutableMap<String, NodeInventory> objects = list(Kinds.inventories());
      Instant reference = reference(objects.values());
      return list(Kinds.nodes()).values().stream()
          .map(node -> inventory(node, Optional.ofNullable(objects.get(node.name())), reference))
          .collect(ImmutableList.toImmutableList());
    }

    /** One look sees no change: without a clock of ours, a cluster long dead would look alive. */
    private Instant reference(Collection<NodeInventory> objects) {
      Instant now = settings.clock().instant();
      return Heard.median(
              objects.stream()
                  .flatMap(object -> Optional.ofNullable(object.status()).stream())
                  .flatMap(status -> status.heartbeat().stream()))
          .filter(now::isBefore)
          .orElse(now);
    }

    private Inventory inventory(NodeState node, Optional<NodeInventory> object, Instant reference) {
      Inventories.Reading reading =
          Inventories.read(object.orElse(NodeFeed.NONE), node, settings.driverName());
      if (!reading.problems().isEmpty()) {
        malformed.add(NodeFeed.malformed(node.name(), "", reading.problems()));
      }
      Inventory read = reading.inventory();
      return object
          .map(o -> Heard.first(o, 0, reference).judge(read.service(), 0, Optional.of(reference)))
          .map(read::with)
          .orElse(read);
    }
  }
}
