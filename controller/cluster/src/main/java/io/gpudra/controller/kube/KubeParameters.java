package io.gpudra.controller.kube;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.kube.mapping.CachedParameters;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.status.StatusObjects;
import io.gpudra.controller.status.StatusTarget;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads parameters from caches; writes only our status fields, by server-side apply. */
final class KubeParameters implements StatusObjects {
  private final ObjectCache<CachedParameters<GpuClaimParameters>> ofClaims = new ObjectCache<>();
  private final ObjectCache<CachedParameters<GpuClassParameters>> ofClasses = new ObjectCache<>();
  private final StatusCalls calls;

  KubeParameters(StatusCalls calls) {
    this.calls = calls;
  }

  /** The cache to fill. */
  ObjectCache<CachedParameters<GpuClaimParameters>> ofClaims() {
    return ofClaims;
  }

  /** The cache to fill. */
  ObjectCache<CachedParameters<GpuClassParameters>> ofClasses() {
    return ofClasses;
  }

  /** Key of a cached object. */
  static ObjectKey key(Kept<?> kept) {
    return ObjectKey.of(kept.key());
  }

  @Override
  public Optional<StatusTarget> find(ObjectKey key) {
    String kept = ObjectCache.key(key.namespace(), key.name());
    if (key.namespace().isEmpty()) {
      return readable(ofClasses, kept)
          .map(one -> subject(one, new StatusTarget.OfClass(one.value().object().specOrDefault())));
    }
    return readable(ofClaims, kept)
        .map(one -> subject(one, new StatusTarget.OfClaim(one.value().object().specOrDefault())));
  }

  /** Empty if the stored object cannot be parsed, although the cache has an older version. */
  private static <V> Optional<Kept<V>> readable(ObjectCache<V> cache, String key) {
    return cache.problem(key).isPresent() ? Optional.empty() : cache.get(key);
  }

  private static StatusTarget subject(
      Kept<? extends CachedParameters<?>> kept, StatusTarget.Spec spec) {
    CachedParameters<?> value = kept.value();
    return new StatusTarget(key(kept), kept.uid(), value.generation(), spec, value.stored());
  }

  @Override
  public ImmutableList<ObjectKey> keys() {
    return Stream.concat(ofClasses.all().stream(), ofClaims.all().stream())
        .map(KubeParameters::key)
        .collect(toImmutableList());
  }

  /** The last readable version, if the stored class parameters cannot be parsed. */
  @Override
  public ImmutableSet<String> forbiddenAttributes() {
    return ofClasses.all().stream()
        .flatMap(one -> one.value().object().specOrDefault().forbids().stream())
        .collect(toImmutableSet());
  }

  @Override
  public Kind write(StatusTarget seen, ParametersStatus status) {
    boolean ofClass = seen.spec() instanceof StatusTarget.OfClass;
    String plural = ofClass ? GpuClassParameters.PLURAL : GpuClaimParameters.PLURAL;
    String kind = ofClass ? GpuClassParameters.KIND : GpuClaimParameters.KIND;
    return calls.apply(plural, kind, seen.key(), seen.uid(), status);
  }
}
