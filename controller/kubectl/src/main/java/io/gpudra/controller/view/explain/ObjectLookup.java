package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.view.UserView;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Objects of one snapshot by their names. */
public final class ObjectLookup {
  private final UserView userView;
  private final ImmutableMap<ClaimRef, ClaimFacts> claims;
  private final ImmutableMap<PodRef, PodView> pods;
  private final ImmutableMap<String, PodView> podsByUid;
  private final ImmutableMap<PodRef, ContextFacts> contexts;
  private final PodClaims<GpuRequest> podClaims;
  private final Supplier<ImmutableListMultimap<ClaimRef, PodView>> users =
      Suppliers.memoize(this::users);

  /** Indexes the objects. */
  public ObjectLookup(UserView userView) {
    this.userView = userView;
    this.claims = index(userView.objects().cluster().claims().stream(), ClaimFacts::ref);
    this.pods = index(userView.objects().pods().stream(), pod -> pod.facts().ref());
    this.podsByUid = index(userView.objects().pods().stream(), pod -> pod.facts().ref().uid());
    this.contexts = index(userView.objects().contexts().stream(), ContextFacts::pod);
    this.podClaims = new PodClaims<>(userView.cluster().driver(), this::claim, this::ofClass);
  }

  private static <K, V> ImmutableMap<K, V> index(Stream<V> all, Function<V, K> key) {
    return all.collect(toImmutableMap(key, one -> one, (one, other) -> other));
  }

  UserView clusterView() {
    return userView;
  }

  /** Evaluates which of the pods' claims belong to the driver. */
  public PodClaims<GpuRequest> podClaims() {
    return podClaims;
  }

  /** The claim of this name. */
  public Optional<ClaimFacts> claim(ClaimRef ref) {
    return Optional.ofNullable(claims.get(ref));
  }

  Optional<ClassFacts> ofClass(String name) {
    return Optional.ofNullable(userView.objects().cluster().classes().get(name));
  }

  Optional<PodView> pod(String namespace, String name) {
    return pods.values().stream()
        .filter(pod -> pod.facts().ref().namespace().equals(namespace))
        .filter(pod -> pod.facts().ref().name().equals(name))
        .findFirst();
  }

  Optional<PodView> pod(PodRef ref) {
    return Optional.ofNullable(pods.get(ref));
  }

  /** The pod for which the claim was created. */
  Optional<PodView> owner(ClaimFacts claim) {
    return claim.ownerUid().map(podsByUid::get);
  }

  Optional<ContextFacts> context(PodRef pod) {
    return Optional.ofNullable(contexts.get(pod)).filter(found -> !found.deleting());
  }

  /** Pods that use the claim, the longest waiting first. */
  Stream<PodView> using(ClaimRef claim) {
    return users.get().get(claim).stream();
  }

  private ImmutableListMultimap<ClaimRef, PodView> users() {
    ImmutableListMultimap.Builder<ClaimRef, PodView> users = ImmutableListMultimap.builder();
    for (PodView pod : pods.values()) {
      pod.facts().claimRefs().forEach(claim -> users.put(claim, pod));
    }
    return users.build();
  }
}
