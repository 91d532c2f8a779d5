package io.gpudra.controller.sight;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.kube.ClusterReading;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.Lists;
import io.gpudra.controller.kube.Withheld;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.KeptClaim;
import io.gpudra.controller.kube.mapping.Kinds;
import io.gpudra.controller.kube.mapping.PodSight;
import io.gpudra.controller.kube.source.Source;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.model.ClaimUid;
import java.io.IOException;
import java.util.Optional;

/**
 * The objects of a cluster, listed once with the caller's own rights. A kind is empty if the caller
 * may not read it, and then named in {@code withheld}, or if the command does not need it.
 *
 * @param consumers of claims that are reserved
 * @param pods those that are not finished
 * @param published inventories as the plugins wrote them, by node
 */
public record ClusterSight(
    ClusterReading cluster,
    ImmutableMap<ClaimUid, ImmutableList<KeptClaim.Consumer>> consumers,
    ImmutableList<PodSight> pods,
    ImmutableList<ContextFacts> contexts,
    ImmutableMap<String, NodeInventory> published,
    ImmutableList<Withheld> withheld) {

  /**
   * Lists all kinds that the caller may read.
   *
   * @param namespace is read where the caller may not list all namespaces
   * @throws IOException when a list is not complete for another reason than a missing right
   */
  public static ClusterSight of(
      HttpClients http, KubeSettings settings, String namespace, Extent extent) throws IOException {
    return of(Source.listing(http, kinds(settings, extent)), settings, namespace);
  }

  /** The largest first. */
  private static ImmutableList<WatchedKind<?, ?>> kinds(KubeSettings settings, Extent extent) {
    ImmutableList<WatchedKind<?, ?>> use =
        ImmutableList.of(claims(settings), Kinds.inventories(), Kinds.nodes());
    return switch (extent) {
      case USE -> use;
      case EVERYTHING ->
          ImmutableList.<WatchedKind<?, ?>>builder()
              .addAll(use)
              .add(Kinds.podsInSight(settings.serverMinor()))
              .add(Kinds.contexts())
              .add(Kinds.classes())
              .add(Kinds.claimParameters())
              .add(Kinds.classParameters())
              .add(Kinds.namespaces())
              .build();
    };
  }

  private static WatchedKind<?, KeptClaim> claims(KubeSettings settings) {
    return Kinds.claims(new ClaimMapping(settings.driverName(), settings.finalizer())::keep);
  }

  /** The same from objects that are known already. */
  public static ClusterSight of(Source source, KubeSettings settings, String namespace)
      throws IOException {
    Lists lists = new Lists(source, Optional.of(new Lists.Allowance(namespace)));
    ImmutableMap<String, NodeInventory> published = lists.ofCluster(Kinds.inventories());
    ImmutableList<PodSight> pods =
        lists.ofNamespaces(Kinds.podsInSight(settings.serverMinor())).values().stream()
            .filter(pod -> !pod.facts().terminal())
            .collect(ImmutableList.toImmutableList());
    ImmutableList<ContextFacts> contexts = lists.ofNamespaces(Kinds.contexts()).values().asList();
    ImmutableList<KeptClaim> claims = lists.ofNamespaces(claims(settings)).values().asList();
    ImmutableList<ClaimFacts> facts =
        claims.stream().map(KeptClaim::facts).collect(ImmutableList.toImmutableList());
    ClusterReading cluster = ClusterReading.of(lists, settings, facts, published);
    return new ClusterSight(
        cluster,
        consumers(claims),
        pods,
        contexts,
        published,
        ImmutableList.copyOf(lists.withheld()));
  }

  private static ImmutableMap<ClaimUid, ImmutableList<KeptClaim.Consumer>> consumers(
      ImmutableList<KeptClaim> claims) {
    return ImmutableMap.copyOf(
        Maps.transformValues(
            Maps.uniqueIndex(
                claims.stream().filter(claim -> !claim.consumers().isEmpty()).iterator(),
                claim -> claim.facts().uid()),
            KeptClaim::consumers));
  }
}
