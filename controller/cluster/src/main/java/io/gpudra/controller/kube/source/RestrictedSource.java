package io.gpudra.controller.kube.source;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.WatchedKind;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * A source that only has some kinds.
 *
 * @param kinds such as {@code ResourceClaim}
 */
record RestrictedSource(ObjectSource source, ImmutableSet<String> kinds) implements ObjectSource {

  @Override
  public <T, V> ImmutableMap<String, V> all(
      WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
    return kinds.contains(kind.kind()) ? source.all(kind, malformed) : ImmutableMap.of();
  }
}
