package io.gpudra.controller.kube;

import com.codahale.metrics.MetricRegistry;
import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.EventSink;
import io.gpudra.controller.client.MalformedObject;
import io.gpudra.controller.dra.Reports;
import io.gpudra.crds.model.Reason;
import java.time.Duration;
import java.util.Set;

/** Warnings as events, each at most once in five minutes; refusals as counters. */
final class KubeReports implements Reports {
  private static final Duration REPEAT = Duration.ofMinutes(5);
  private static final int REMEMBERED = 20_000;

  private final EventSink events;
  private final MetricRegistry metrics;
  private final Cache<Told, Boolean> told;

  private record Told(EventSink.Subject subject, String reason, Set<String> causes) {}

  KubeReports(EventSink events, MetricRegistry metrics, Ticker ticker) {
    this.events = events;
    this.metrics = metrics;
    this.told =
        CacheBuilder.newBuilder()
            .expireAfterWrite(REPEAT)
            .maximumSize(REMEMBERED)
            .ticker(ticker)
            .build();
  }

  @Override
  public void warn(Warning warning) {
    tell(subject(warning.subject()), warning.reason(), warning.causes(), warning.message());
  }

  @Override
  public void refused(Reason reason) {
    metrics.counter("driver.refused." + reason.label()).inc();
  }

  /** Tells on the object itself that it was skipped. */
  void malformed(MalformedObject object) {
    tell(
        new EventSink.Subject(
            object.apiVersion(), object.kind(), object.namespace(), object.name(), object.uid()),
        "Malformed",
        ImmutableSet.of(object.problem()),
        "skipped by the driver: " + object.problem());
  }

  private void tell(
      EventSink.Subject subject, String reason, ImmutableSet<String> causes, String message) {
    Told key = new Told(subject, reason, causes);
    if (told.asMap().putIfAbsent(key, Boolean.TRUE) == null) {
      events.warn(new EventSink.Warning(subject, reason, causes, message));
    }
  }

  private static EventSink.Subject subject(Subject subject) {
    if (subject instanceof Subject.OnClaim claim) {
      return new EventSink.Subject(
          Kinds.RESOURCE_API,
          "ResourceClaim",
          claim.ref().namespace(),
          claim.ref().name(),
          claim.uid().value());
    }
    Subject.OnPod pod = (Subject.OnPod) subject;
    return new EventSink.Subject(
        "v1", "Pod", pod.ref().namespace(), pod.ref().name(), pod.ref().uid());
  }
}
