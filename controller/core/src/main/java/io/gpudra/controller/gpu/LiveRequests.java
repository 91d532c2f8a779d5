package io.gpudra.controller.gpu;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.Interner;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.memory.HashBoundInterner;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import java.lang.ref.WeakReference;
import java.util.Optional;

/**
 * The requests that are held elsewhere, such as by claims that wait: equal ones are one object, and
 * parameters are not evaluated again meanwhile, which takes a millisecond for large ones. Holds no
 * request itself. Usable from any thread.
 */
final class LiveRequests {
  private final Interner<GpuRequest> requests = new HashBoundInterner<>();

  /** By the stored object, which is another one after each change. */
  private final Cache<GpuClaimParameters, Evaluation> evaluations =
      CacheBuilder.newBuilder().weakKeys().build();

  /** What a request depends on beside the object. */
  record Question(String className, GpuClassParametersSpec ofClass, Mode mode) {}

  private record Evaluation(Question question, WeakReference<GpuRequest> request) {}

  /** The request that was read from this object of a claim. */
  Optional<GpuRequest> of(GpuClaimParameters object, Question question) {
    return Optional.ofNullable(evaluations.getIfPresent(object))
        .filter(known -> known.question().equals(question))
        .flatMap(known -> Optional.ofNullable(known.request().get()));
  }

  /** The request that is equal to this one. */
  GpuRequest same(GpuRequest request) {
    return requests.intern(request);
  }

  /** The request was read from this object of a claim. */
  void put(GpuClaimParameters object, Question question, GpuRequest request) {
    evaluations.put(object, new Evaluation(question, new WeakReference<>(request)));
  }
}
