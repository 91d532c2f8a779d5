package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import java.util.Optional;

/** Reads classes from the cache; a cluster has few, so there is no index. */
record KubeClassStore(ObjectCache<ClassFacts> cache) implements ClassStore {

  @Override
  public Optional<ClassFacts> get(String name) {
    return cache.get(name).map(Kept::value);
  }

  /** Names of the classes that refer to these class parameters. */
  ImmutableList<String> ofParameters(ParametersRef parameters) {
    return cache.all().stream()
        .map(Kept::value)
        .filter(c -> c.parameters().filter(ref -> same(ref, parameters)).isPresent())
        .map(ClassFacts::name)
        .collect(ImmutableList.toImmutableList());
  }

  /** Whether both are the same; the group may have a version or not. */
  private static boolean same(ParametersRef one, ParametersRef other) {
    return one.kind().equals(other.kind())
        && one.name().equals(other.name())
        && one.namespace().equals(other.namespace());
  }
}
