package io.gpudra.controller.kube;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.RateLimiter;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.kube.mapping.CachedParameters;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.status.StatusObjects;
import io.gpudra.controller.status.StatusTarget;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads parameters from caches; writes only our status fields, by server-side apply. */
final class KubeParameters implements StatusObjects {
  private static final Logger log = LoggerFactory.getLogger(KubeParameters.class);
  private static final JsonMapper JSON = new JsonMapper();

  /** A missing permission may concern thousands of objects. */
  private static final double WARNINGS_PER_SECOND = 1.0 / 60;

  private final ObjectCache<CachedParameters<GpuClaimParameters>> ofClaims = new ObjectCache<>();
  private final ObjectCache<CachedParameters<GpuClassParameters>> ofClasses = new ObjectCache<>();
  private final JsonCalls calls;
  private final String driverName;
  private final BooleanSupplier mayWriteStatus;
  private final RateLimiter warnings = RateLimiter.create(WARNINGS_PER_SECOND);

  KubeParameters(JsonCalls calls, String driverName, BooleanSupplier mayWriteStatus) {
    this.calls = calls;
    this.driverName = driverName;
    this.mayWriteStatus = mayWriteStatus;
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
    int slash = kept.key().indexOf('/');
    return slash < 0
        ? new ObjectKey("", kept.key())
        : new ObjectKey(kept.key().substring(0, slash), kept.key().substring(slash + 1));
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
    if (!mayWriteStatus.getAsBoolean()) {
      return Kind.UNCLEAR;
    }
    boolean ofClass = seen.spec() instanceof StatusTarget.OfClass;
    String plural = ofClass ? GpuClassParameters.PLURAL : GpuClaimParameters.PLURAL;
    String path =
        ResourceKinds.gpuPath(seen.key().namespace(), plural, seen.key().name()) + "/status";
    Map<String, String> query = Map.of("fieldManager", driverName, "force", "true");
    String kind = ofClass ? GpuClassParameters.KIND : GpuClaimParameters.KIND;
    try {
      return outcome(seen, calls.write("PATCH", path, query, Form.APPLY, body(seen, kind, status)));
    } catch (IOException e) {
      log.info("status of parameters unclear object={} why={}", seen.key(), e.toString());
      return Kind.UNCLEAR;
    }
  }

  private Kind outcome(StatusTarget seen, Answer answer) {
    Kind kind = WriteResponseMapping.kind(answer);
    if (kind == Kind.REJECTED && warnings.tryAcquire()) {
      log.warn("status of parameters rejected object={} answer={}", seen.key(), answer);
    }
    return kind;
  }

  /** With the UID as precondition, since another object may have the same name. */
  private static String body(StatusTarget seen, String kind, ParametersStatus status) {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", GpuApi.GROUP_VERSION).put("kind", kind);
    ObjectNode metadata = object.putObject("metadata");
    metadata.put("name", seen.key().name()).put("uid", seen.uid());
    if (!seen.key().namespace().isEmpty()) {
      metadata.put("namespace", seen.key().namespace());
    }
    object.set("status", JSON.valueToTree(status));
    return object.toString();
  }
}
