package io.gpudra.controller.view.dryrun;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.manifest.ManifestSet;
import io.gpudra.controller.manifest.Workload;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/**
 * The cluster with its objects replaced by those of files. A replaced claim loses its devices, also
 * on its node. A claim with the same request as that of the cluster keeps its allocation.
 */
record SnapshotOverlay(ClusterView seen, ManifestSet manifestSet) {

  ClusterObjects reading() {
    ClusterObjects before = seen.cluster();
    ImmutableSet<ClaimUid> gone = gone();
    ImmutableList<ClaimFacts> kept =
        before.claims().stream()
            .filter(claim -> !gone.contains(claim.uid()))
            .collect(toImmutableList());
    return new ClusterObjects(
        claims(kept),
        and(before.classes(), manifestSet.classes()),
        and(before.claimParameters(), manifestSet.claimParameters()),
        and(before.classParameters(), manifestSet.classParameters()),
        and(before.namespaces(), manifestSet.namespaces()),
        before.inventories().stream()
            .map(node -> BlockedNode.without(node, gone))
            .collect(toImmutableList()),
        before.quotas(),
        before.malformed());
  }

  private ImmutableList<ClaimFacts> claims(ImmutableList<ClaimFacts> kept) {
    ImmutableSet<ClaimRef> there =
        kept.stream().map(ClaimFacts::ref).collect(ImmutableSet.toImmutableSet());
    return ImmutableList.<ClaimFacts>builder()
        .addAll(kept)
        .addAll(
            manifestSet.claims().values().stream()
                .filter(one -> !there.contains(one.ref()))
                .toList())
        .build();
  }

  private ImmutableSet<ClaimUid> gone() {
    ImmutableSet<String> pods = replacedPods();
    return seen.cluster().claims().stream()
        .filter(claim -> isReplaced(claim) || claim.ownerUid().filter(pods::contains).isPresent())
        .map(ClaimFacts::uid)
        .collect(ImmutableSet.toImmutableSet());
  }

  private boolean isReplaced(ClaimFacts claim) {
    ClaimFacts draft = manifestSet.claims().get(claim.ref());
    return draft != null
        && !(draft.className().equals(claim.className())
            && draft.parameters().equals(claim.parameters())
            && draft.mode() == claim.mode()
            && !claim.ending());
  }

  private ImmutableSet<String> replacedPods() {
    ImmutableSet<String> drafted =
        manifestSet.workloads().stream()
            .filter(workload -> workload.kind().equals("Pod"))
            .map(SnapshotOverlay::key)
            .collect(ImmutableSet.toImmutableSet());
    return seen.pods().stream()
        .map(PodView::facts)
        .filter(pod -> drafted.contains(pod.ref().toString()))
        .map(pod -> pod.ref().uid())
        .collect(ImmutableSet.toImmutableSet());
  }

  private static String key(Workload workload) {
    return workload.namespace() + "/" + workload.name();
  }

  private static <V> ImmutableMap<String, V> and(
      ImmutableMap<String, V> before, ImmutableMap<String, V> instead) {
    return ImmutableMap.<String, V>builder().putAll(before).putAll(instead).buildKeepingLast();
  }
}
