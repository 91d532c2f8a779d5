package io.gpudra.bench.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceTest {
  private static final Instant START = Instant.parse("2026-11-21T15:00:00Z");

  @Test
  void whatWasAskedAboutAPodStandsInTheOrderOfTime() {
    String trace =
        Trace.of(
            List.of(
                event("system:kube-scheduler", "create", "pods/binding", "pod-1", 1900),
                event("admin", "create", "pods", "pod-1", 0),
                event("admin", "create", "pods", "pod-10", 1),
                event("a:b:gpudra-controller", "update", "resourceclaims/status", "pod-1-x", 250)),
            "test",
            "pod-1");

    assertThat(trace)
        .isEqualTo(
            """
            | s | who | request | answer |
            |---:|---|---|---|
            | 0.000 | admin | create pods | 201 |
            | 0.250 | gpudra-controller | update resourceclaims/status | 201 |
            | 1.900 | kube-scheduler | create pods/binding | 201 |
            """);
  }

  @Test
  void aPodThatIsNotInTheLogIsNamed() {
    assertThatThrownBy(() -> Trace.of(List.of(), "test", "pod-1"))
        .hasMessage("no request about test/pod-1");
  }

  private static AuditEvent event(
      String user, String verb, String resource, String name, long millis) {
    Instant at = START.plusMillis(millis);
    return new AuditEvent(user, verb, resource, "test", name, 201, at, at.plusMillis(5));
  }
}
