package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.RefusedException;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.kube.source.ObjectSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lists kinds one after the other and collects the kinds that could not be read.
 *
 * @param allowance if empty, a forbidden list fails the snapshot
 */
public record KindLister(
    ObjectSource source,
    Optional<ForbiddenPolicy> allowance,
    List<MalformedObject> malformed,
    List<ForbiddenKind> withheld) {
  private static final ImmutableSet<Integer> NOT_FOR_THE_CALLER = ImmutableSet.of(401, 403);
  private static final int NOT_SERVED = 404;

  /**
   * Allows missing permissions of the caller.
   *
   * @param namespace that is read where the caller may not list all namespaces
   */
  public record ForbiddenPolicy(String namespace) {}

  public KindLister(ObjectSource source, Optional<ForbiddenPolicy> allowance) {
    this(source, allowance, new ArrayList<>(), new ArrayList<>());
  }

  /** Lists a cluster-scoped kind. */
  public <T, V> ImmutableMap<String, V> ofCluster(WatchedKind<T, V> kind) throws IOException {
    try {
      return list(kind);
    } catch (RefusedException e) {
      withhold(kind, Optional.empty(), e);
      return ImmutableMap.of();
    }
  }

  /** Lists a namespaced kind in all namespaces, or only in the caller's. */
  public <T, V> ImmutableMap<String, V> ofNamespaces(WatchedKind<T, V> kind) throws IOException {
    try {
      return list(kind);
    } catch (RefusedException e) {
      String namespace = allowance.orElseThrow(() -> e).namespace();
      if (e.code() == NOT_SERVED) {
        withhold(kind, Optional.empty(), e);
        return ImmutableMap.of();
      }
      return ofNamespace(kind, namespace);
    }
  }

  private <T, V> ImmutableMap<String, V> ofNamespace(WatchedKind<T, V> kind, String namespace)
      throws IOException {
    try {
      ImmutableMap<String, V> found = list(kind.in(namespace));
      withheld.add(
          new ForbiddenKind(kind.plural(), kind.apiVersion(), Optional.of(namespace), true));
      return found;
    } catch (RefusedException e) {
      withhold(kind, Optional.empty(), e);
      return ImmutableMap.of();
    }
  }

  private void withhold(WatchedKind<?, ?> kind, Optional<String> seen, RefusedException e)
      throws RefusedException {
    if (allowance.isEmpty() || !(e.code() == NOT_SERVED || NOT_FOR_THE_CALLER.contains(e.code()))) {
      throw e;
    }
    withheld.add(new ForbiddenKind(kind.plural(), kind.apiVersion(), seen, e.code() != NOT_SERVED));
  }

  private <T, V> ImmutableMap<String, V> list(WatchedKind<T, V> kind) throws IOException {
    return source.all(kind, malformed::add);
  }
}
