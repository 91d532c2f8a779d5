package io.gpudra.controller.kube;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.EventSink;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.reason.UnsuitableReason;

/** Reports warnings and notes as events, refusals as metrics. */
record KubeReportSink(EventSink events, MetricRegistry metrics) implements ReportSink {

  @Override
  public void warn(Warning warning) {
    events.warn(event(warning, EventSink.Type.WARNING));
  }

  @Override
  public void warnOfNode(String node, Warning warning) {
    events.warnOfNode(node, event(warning, EventSink.Type.WARNING));
  }

  @Override
  public void note(Warning event) {
    events.warn(event(event, EventSink.Type.NORMAL));
  }

  private static EventSink.Warning event(Warning what, EventSink.Type type) {
    return new EventSink.Warning(
        subject(what.subject()), what.reason(), what.causes(), what.text(), what.bytes(), type);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {
    metrics.counter("driver.refused." + kind.label()).inc();
  }

  /** Records an event on the object that it was skipped. */
  void malformed(MalformedObject object) {
    events.warn(
        new EventSink.Warning(
            new EventSink.Subject(
                object.apiVersion(),
                object.kind(),
                object.namespace(),
                object.name(),
                object.uid()),
            "Malformed",
            ImmutableSet.of(object.problem()),
            "skipped by the driver: " + object.problem()));
  }

  private static EventSink.Subject subject(Subject subject) {
    if (subject instanceof Subject.OnClaim claim) {
      return new EventSink.Subject(
          ResourceKinds.RESOURCE_API,
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
