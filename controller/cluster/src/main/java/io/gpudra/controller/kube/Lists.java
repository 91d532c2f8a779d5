package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.RefusedException;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.kube.source.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One kind after the other, with what could not be read of them.
 *
 * @param allowance absent: a list that is refused fails the reading
 */
public record Lists(
    Source source,
    Optional<Allowance> allowance,
    List<MalformedObject> malformed,
    List<Withheld> withheld) {
  private static final ImmutableSet<Integer> NOT_FOR_THE_CALLER = ImmutableSet.of(401, 403);
  private static final int NOT_SERVED = 404;

  /**
   * A caller who may not read everything.
   *
   * @param namespace where to look for what may not be read of all namespaces
   */
  public record Allowance(String namespace) {}

  public Lists(Source source, Optional<Allowance> allowance) {
    this(source, allowance, new ArrayList<>(), new ArrayList<>());
  }

  /** Of a kind without namespaces. */
  public <T, V> ImmutableMap<String, V> ofCluster(WatchedKind<T, V> kind) throws IOException {
    try {
      return list(kind);
    } catch (RefusedException e) {
      withhold(kind, Optional.empty(), e);
      return ImmutableMap.of();
    }
  }

  /** Of a kind with namespaces: of all of them, or else of the caller's. */
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
      withheld.add(new Withheld(kind.plural(), kind.apiVersion(), Optional.of(namespace), true));
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
    withheld.add(new Withheld(kind.plural(), kind.apiVersion(), seen, e.code() != NOT_SERVED));
  }

  private <T, V> ImmutableMap<String, V> list(WatchedKind<T, V> kind) throws IOException {
    return source.all(kind, malformed::add);
  }
}
