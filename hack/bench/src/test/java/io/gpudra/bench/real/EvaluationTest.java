package io.gpudra.bench.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.google.common.collect.ImmutableSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EvaluationTest {
  private static final Instant START = Instant.parse("2026-11-21T15:00:00Z");
  private static final String DRIVER = "system:serviceaccount:gpudra:gpudra-controller";

  private final List<AuditEvent> events = new ArrayList<>();

  @Test
  void speedIsFromTheFirstCreationToTheLastBinding() {
    for (int i = 0; i < 100; i++) {
      pod("pod-" + i, i * 10, i * 10 + 1000 + i);
    }

    Evaluation evaluation = evaluate();

    assertThat(evaluation.podsPerSecond()).isEqualTo(100 / 2.089);
    assertThat(evaluation.latencyP50Seconds()).isEqualTo(1.049);
    assertThat(evaluation.latencyP99Seconds()).isEqualTo(1.098);
  }

  @Test
  void onlyThePodsOfTheMeasuredNamespaceCount() {
    pod("pod-0", 0, 500);
    call("other", "create", "pods", "init", 0);
    call("other", "create", "pods/binding", "init", 9000);

    assertThat(evaluate().podsPerSecond()).isEqualTo(2);
  }

  @Test
  void aRefusedBindingIsNone() {
    pod("pod-0", 0, 500);
    events.add(
        new AuditEvent(
            "scheduler", "create", "pods/binding", "test", "pod-0", 409, at(600), at(601)));

    assertThat(evaluate().podsPerSecond()).isEqualTo(2);
  }

  @Test
  void callsOfTheDriverAndOfKubernetesAreCountedWhilePodsWereScheduled() {
    pod("pod-0", 0, 500);
    pod("pod-1", 0, 500);
    call(DRIVER, "get", "pods", "test", 100);
    call(DRIVER, "update", "resourceclaims/status", "test", 200);
    call(DRIVER, "update", "resourceclaims/status", "test", 300);
    call(DRIVER, "update", "resourceclaims", "test", 501);
    call(DRIVER, "list", "resourceclaims", "test", 100);
    call(DRIVER, "watch", "resourceclaims", "test", 100);
    call(DRIVER, "update", "leases", "gpudra", 100);
    call("somebody else", "get", "pods", "test", 100);
    String claims = "system:serviceaccount:kube-system:resource-claim-controller";
    call(claims, "update", "resourceclaims/status", "test", 100);

    assertThat(evaluate().callsPerPod())
        .containsExactly(
            entry("controllers update resourceclaims/status", 0.5),
            entry("driver get pods", 0.5),
            entry("driver update resourceclaims/status", 1.0),
            entry("scheduler create pods/binding", 1.0));
  }

  @Test
  void nothingIsSaidWhenNoPodWasBound() {
    assertThatThrownBy(this::evaluate).hasMessage("no pod of test was bound");
  }

  @Test
  void podsCountForWhichTheSchedulerMadeAContext() {
    pod("pod-0", 0, 500);
    pod("pod-1", 0, 500);
    call("system:kube-scheduler", "create", "podschedulingcontexts", "test", 100);
    call("system:kube-scheduler", "create", "podschedulingcontexts", "test", 200);
    call("system:kube-scheduler", "create", "podschedulingcontexts", "other", 200);

    assertThat(evaluate().percentWithContext()).isEqualTo(50);
  }

  @Test
  void aContextOfTheClaimControllerOrOneThatWasRefusedDoesNotCount() {
    pod("pod-0", 0, 500);
    String claims = "system:serviceaccount:kube-system:resource-claim-controller";
    call(claims, "create", "podschedulingcontexts", "test", 100);
    events.add(
        new AuditEvent(
            "system:kube-scheduler",
            "create",
            "podschedulingcontexts",
            "test",
            "pod-0",
            409,
            at(100),
            at(101)));

    assertThat(evaluate().percentWithContext()).isZero();
  }

  private Evaluation evaluate() {
    return Evaluation.of(events, "test", DRIVER, ImmutableSet.of());
  }

  private void pod(String name, int created, int bound) {
    events.add(
        new AuditEvent("bench", "create", "pods", "test", name, 201, at(created), at(created + 5)));
    events.add(
        new AuditEvent(
            "system:kube-scheduler",
            "create",
            "pods/binding",
            "test",
            name,
            201,
            at(bound - 5),
            at(bound)));
  }

  private void call(String user, String verb, String resource, String namespace, int received) {
    events.add(
        new AuditEvent(
            user, verb, resource, namespace, "pod-0", 200, at(received), at(received + 1)));
  }

  private static Instant at(int millis) {
    return START.plusMillis(millis);
  }
}
