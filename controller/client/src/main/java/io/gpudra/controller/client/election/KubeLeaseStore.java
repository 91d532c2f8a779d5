package io.gpudra.controller.client.election;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.HttpClients;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Lease of the API server, and a ConfigMap of the same name as the mark. It needs permission to
 * get and update this Lease and to create both. It accepts a Lease that lacks any field, and keeps
 * the fields that other clients wrote. For one thread.
 */
public final class KubeLeaseStore implements LeaseStore {
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int MAX_BODY = 300;

  /** The seconds since this time fit into the 32-bit field until 2088. */
  private static final Instant COUNT_FROM = Instant.parse("2020-01-01T00:00:00Z");

  private static final String MARK =
      "A controller has led here. While this object exists, a controller that finds no lease waits"
          + " until no other can lead.";

  private final CoordinationV1Api api;
  private final CoreV1Api marks;
  private final Clock clock;
  private final String name;
  private final String namespace;
  private final String annotation;

  /** The Lease in the last answer of the server. */
  private @Nullable V1Lease last;

  /**
   * The lease of this name.
   *
   * @param clock for the times in the Lease, and for the first number of transitions: a term lasts
   *     longer than a second, so no former lease has reached this number
   * @param annotation key of the word that a holder stores for the next one
   */
  public KubeLeaseStore(
      HttpClients http, String namespace, String name, String annotation, Clock clock) {
    this.api = new CoordinationV1Api(http.api());
    this.marks = new CoreV1Api(http.api());
    this.clock = clock;
    this.name = name;
    this.namespace = namespace;
    this.annotation = annotation;
  }

  @Override
  public Optional<Lease> read() throws IOException {
    return answer(
        "reading",
        () -> api.readNamespacedLease(name, namespace).execute(),
        ImmutableSet.of(NOT_FOUND));
  }

  @Override
  public Optional<Lease> create(int seconds, long after) throws IOException {
    long first =
        Math.max(after + 1, clock.instant().getEpochSecond() - COUNT_FROM.getEpochSecond());
    V1Lease lease =
        new V1Lease()
            .apiVersion("coordination.k8s.io/v1")
            .kind("Lease")
            .metadata(new V1ObjectMeta().namespace(namespace).name(name))
            .spec(
                new V1LeaseSpec()
                    .leaseDurationSeconds(seconds)
                    .leaseTransitions(Math.toIntExact(first)));
    return answer(
        "creating",
        () -> api.createNamespacedLease(namespace, lease).execute(),
        ImmutableSet.of(CONFLICT));
  }

  @Override
  public Optional<Lease> replace(Lease seen, Holding holding) throws IOException {
    V1Lease lease = requireNonNull(last, "seen before it is replaced");
    V1ObjectMeta metadata = requireNonNull(lease.getMetadata());
    metadata.setResourceVersion(seen.version());
    if (!holding.word().isEmpty()) {
      metadata.putAnnotationsItem(annotation, holding.word());
    }
    V1LeaseSpec spec = spec(lease);
    OffsetDateTime now = OffsetDateTime.now(clock);
    if (seen.transitions() != holding.transitions() || !seen.holder().equals(holding.holder())) {
      spec.setAcquireTime(now);
    }
    spec.holderIdentity(holding.holder())
        .leaseDurationSeconds(holding.seconds())
        .leaseTransitions(Math.toIntExact(holding.transitions()))
        .renewTime(now);
    return answer(
        "updating",
        () -> api.replaceNamespacedLease(name, namespace, lease.spec(spec)).execute(),
        ImmutableSet.of(NOT_FOUND, CONFLICT));
  }

  @Override
  public boolean mark() throws IOException {
    V1ConfigMap mark =
        new V1ConfigMap()
            .apiVersion("v1")
            .kind("ConfigMap")
            .metadata(new V1ObjectMeta().namespace(namespace).name(name))
            .putDataItem("meaning", MARK);
    try {
      marks.createNamespacedConfigMap(namespace, mark).execute();
      return true;
    } catch (ApiException e) {
      if (e.getCode() == CONFLICT) {
        return false;
      }
      throw failure("marking", e);
    }
  }

  private interface Call {
    V1Lease execute() throws ApiException;
  }

  /** The given codes mean an empty result; any other failure means that there is no answer. */
  private Optional<Lease> answer(String verb, Call call, ImmutableSet<Integer> empty)
      throws IOException {
    try {
      V1Lease stored = call.execute();
      last = stored;
      return Optional.of(lease(stored));
    } catch (ApiException e) {
      if (empty.contains(e.getCode())) {
        return Optional.empty();
      }
      throw failure(verb, e);
    }
  }

  private IOException failure(String verb, ApiException e) {
    if (e.getCause() instanceof IOException unanswered) {
      return unanswered;
    }
    String body = Ascii.truncate(requireNonNullElse(e.getResponseBody(), ""), MAX_BODY, "...");
    return new IOException(
        "%s lease %s/%s: HTTP %d %s".formatted(verb, namespace, name, e.getCode(), body), e);
  }

  private static V1LeaseSpec spec(V1Lease lease) {
    return requireNonNullElse(lease.getSpec(), new V1LeaseSpec());
  }

  private Lease lease(V1Lease stored) {
    V1LeaseSpec spec = spec(stored);
    V1ObjectMeta metadata = requireNonNull(stored.getMetadata());
    return new Lease(
        requireNonNullElse(metadata.getResourceVersion(), ""),
        requireNonNullElse(spec.getHolderIdentity(), ""),
        requireNonNullElse(spec.getLeaseDurationSeconds(), 0),
        requireNonNullElse(spec.getLeaseTransitions(), 0),
        Objects.toString(spec.getRenewTime(), ""),
        requireNonNullElse(metadata.getAnnotations(), Map.<String, String>of())
            .getOrDefault(annotation, ""));
  }
}
