package io.gpudra.bench.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.google.common.collect.ImmutableSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupEvaluationTest {
  private static final Instant START = Instant.parse("2026-11-21T15:00:00Z");
  private static final String DRIVER = "system:serviceaccount:gpudra:gpudra-controller";
  private static final String CLAIMS =
      "system:serviceaccount:kube-system:resource-claim-controller";
  private static final ImmutableSet<String> MEMBERS = ImmutableSet.of("pod-1", "pod-3");

  private final List<AuditEvent> events = new ArrayList<>();

  @Test
  void timeIsFromTheLastClaimToTheGrantsAndBindings() {
    call(CLAIMS, "patch", "pods/status", "pod-1", 0);
    call(CLAIMS, "patch", "pods/status", "pod-2", 900);
    call(CLAIMS, "patch", "pods/status", "pod-3", 490);
    grant("pod-2-resource-0-abcde", 100);
    grant("pod-1-resource-0-abcde", 700);
    grant("pod-3-resource-0-abcde", 990);
    grant("pod-11-resource-0-abcde", 3000);
    grant("pod-1-1-resource-0-abcde", 3000);
    call("scheduler", "create", "pods/binding", "pod-1", 1000);
    call("scheduler", "create", "pods/binding", "pod-3", 2490);
    call("scheduler", "create", "pods/binding", "pod-2", 9000);

    assertThat(GroupEvaluation.of(events, "test", DRIVER, MEMBERS))
        .containsExactly(
            entry("first grant", 0.2), entry("last binding", 2.0), entry("last grant", 0.5));
  }

  @Test
  void theFirstWriteOfAClaimsStatusIsItsGrant() {
    call(CLAIMS, "patch", "pods/status", "pod-1", 0);
    grant("pod-1-resource-0-abcde", 100);
    grant("pod-1-resource-0-abcde", 5000);
    call("scheduler", "create", "pods/binding", "pod-1", 200);

    assertThat(GroupEvaluation.of(events, "test", DRIVER, MEMBERS))
        .containsEntry("last grant", 0.1);
  }

  @Test
  void withoutAGroupOrAGrantThereAreNoTimes() {
    call(CLAIMS, "patch", "pods/status", "pod-1", 0);
    call("scheduler", "create", "pods/binding", "pod-1", 200);

    assertThat(GroupEvaluation.of(events, "test", DRIVER, MEMBERS)).isEmpty();
    grant("pod-1-resource-0-abcde", 100);
    assertThat(GroupEvaluation.of(events, "test", DRIVER, ImmutableSet.of())).isEmpty();
  }

  private void grant(String claim, int received) {
    call(DRIVER, "patch", "resourceclaims/status", claim, received);
  }

  private void call(String user, String verb, String resource, String name, int received) {
    events.add(
        new AuditEvent(user, verb, resource, "test", name, 200, at(received), at(received + 10)));
  }

  private static Instant at(int millis) {
    return START.plusMillis(millis);
  }
}
