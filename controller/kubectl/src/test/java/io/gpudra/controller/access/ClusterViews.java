package io.gpudra.controller.access;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.mapping.PodView;

/** Views of clusters that have little. */
public final class ClusterViews {

  private ClusterViews() {}

  /** Of claims and pods, without classes and nodes. */
  public static ClusterView of(ImmutableList<ClaimFacts> claims, ImmutableList<PodView> pods) {
    return of(
        new ClusterObjects(
            claims,
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableList.of(),
            ImmutableMap.of(),
            ImmutableList.of()),
        pods);
  }

  /** Of objects and pods. */
  public static ClusterView of(ClusterObjects objects, ImmutableList<PodView> pods) {
    return new ClusterView(
        objects,
        ImmutableMap.of(),
        pods,
        ImmutableList.of(),
        ImmutableList.of(),
        ImmutableMap.of(),
        ImmutableList.of());
  }
}
