package io.gpudra.controller.access;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.ForbiddenKind;
import io.gpudra.controller.kube.KindLister;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.kube.mapping.CachedQuota;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.kube.source.ObjectSource;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.model.ClaimUid;
import java.io.IOException;
import java.util.Optional;

/**
 * The objects of a cluster, listed once with the caller's own permissions. A kind is empty if the
 * caller may not read it, and then named in {@code withheld}, or if the command does not need it.
 *
 * @param consumers of claims that are reserved
 * @param pods the pods that are not finished
 * @param finishedMembers the finished pods of groups
 * @param published inventories as the plugins wrote them, by node
 */
public record ClusterView(
    ClusterObjects cluster,
    ImmutableMap<ClaimUid, ImmutableList<CachedClaim.Consumer>> consumers,
    ImmutableList<PodView> pods,
    ImmutableList<PodView> finishedMembers,
    ImmutableList<ContextFacts> contexts,
    ImmutableMap<String, NodeInventory> published,
    ImmutableList<ForbiddenKind> withheld) {

  /**
   * Lists all kinds that the caller may read.
   *
   * @param namespace that is read where the caller may not list all namespaces
   * @throws IOException when a list is not complete for another reason than a missing permission
   */
  public static ClusterView of(
      HttpClients http, KubeSettings settings, String namespace, ReadScope readScope)
      throws IOException {
    return of(ObjectSource.listing(http, kinds(settings, readScope)), settings, namespace);
  }

  /** The kinds to read, the largest first. */
  private static ImmutableList<WatchedKind<?, ?>> kinds(
      KubeSettings settings, ReadScope readScope) {
    ImmutableList<WatchedKind<?, ?>> use =
        ImmutableList.of(claims(settings), ResourceKinds.inventories(), ResourceKinds.nodes());
    return switch (readScope) {
      case USE -> use;
      case USE_AND_QUOTAS ->
          ImmutableList.<WatchedKind<?, ?>>builder()
              .addAll(use)
              .add(ResourceKinds.quotas())
              .build();
      case EVERYTHING ->
          ImmutableList.<WatchedKind<?, ?>>builder()
              .addAll(use)
              .add(pods(settings))
              .add(ResourceKinds.contexts())
              .add(ResourceKinds.classes())
              .add(ResourceKinds.claimParameters())
              .add(ResourceKinds.classParameters())
              .add(ResourceKinds.namespaces())
              .add(ResourceKinds.quotas())
              .build();
    };
  }

  private static WatchedKind<?, PodView> pods(KubeSettings settings) {
    return ResourceKinds.podViews(settings.serverMinor(), settings.driverName());
  }

  private static WatchedKind<?, CachedClaim> claims(KubeSettings settings) {
    return ResourceKinds.claims(
        new ClaimMapping(settings.driverName(), settings.finalizer())::keep);
  }

  /** A view of objects that are already known. */
  public static ClusterView of(ObjectSource source, KubeSettings settings, String namespace)
      throws IOException {
    KindLister kindLister =
        new KindLister(source, Optional.of(new KindLister.ForbiddenPolicy(namespace)));
    ImmutableMap<String, NodeInventory> published =
        kindLister.ofCluster(ResourceKinds.inventories());
    ImmutableList<PodView> pods = kindLister.ofNamespaces(pods(settings)).values().asList();
    ImmutableList<ContextFacts> contexts =
        kindLister.ofNamespaces(ResourceKinds.contexts()).values().asList();
    ImmutableList<CachedClaim> claims = kindLister.ofNamespaces(claims(settings)).values().asList();
    ImmutableList<ClaimFacts> facts =
        claims.stream().map(CachedClaim::facts).collect(ImmutableList.toImmutableList());
    ImmutableMap<String, CachedQuota> quotas = kindLister.ofNamespaces(ResourceKinds.quotas());
    ClusterObjects cluster = ClusterObjects.of(kindLister, settings, facts, published, quotas);
    return new ClusterView(
        cluster,
        consumers(claims),
        pods.stream()
            .filter(pod -> !pod.facts().terminal())
            .collect(ImmutableList.toImmutableList()),
        pods.stream()
            .filter(pod -> pod.facts().terminal() && pod.facts().group().isPresent())
            .collect(ImmutableList.toImmutableList()),
        contexts,
        published,
        ImmutableList.copyOf(kindLister.withheld()));
  }

  private static ImmutableMap<ClaimUid, ImmutableList<CachedClaim.Consumer>> consumers(
      ImmutableList<CachedClaim> claims) {
    return ImmutableMap.copyOf(
        Maps.transformValues(
            Maps.uniqueIndex(
                claims.stream().filter(claim -> !claim.consumers().isEmpty()).iterator(),
                claim -> claim.facts().uid()),
            CachedClaim::consumers));
  }
}
