package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.facts.ClaimFacts;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Events and counts of gates.
 *
 * @param sink receives the events
 * @param outcomes receives the label of each outcome, to be counted
 */
public record GateReports(ReportSink sink, Consumer<String> outcomes) {
  private static final String RETURNED = "returned";
  private static final String OVERTAKEN = "overtaken";

  /** The outcomes that are no reasons to remove a gate. */
  public static Stream<String> others() {
    return Stream.of(RETURNED, OVERTAKEN);
  }

  /** The gate was removed; told unless the pod got what it waited for. */
  public void lifted(GatedPod pod, LiftReason reason, ImmutableSet<ClaimFacts> claims) {
    outcomes.accept(reason.label());
    if (reason == LiftReason.GRANTED) {
      measure(pod, claims);
    } else {
      sink.note(onPod(pod, "GateLifted", "the scheduling gate was removed: " + reason.text()));
    }
  }

  /** Once for each class. */
  private void measure(GatedPod pod, ImmutableSet<ClaimFacts> claims) {
    Map<String, ClaimFacts> byClass = new TreeMap<>();
    claims.forEach(claim -> byClass.put(claim.className(), claim));
    byClass.values().forEach(claim -> sink.grantedAtGate(claim, pod.facts().rank().since()));
  }

  /** The API server refuses to remove the gate. */
  public void stuck(GatedPod pod) {
    sink.warn(onPod(pod, "GateStuck", "the API server refuses to remove the scheduling gate"));
  }

  /** The grant is given back, since the scheduler finds no room for the pod. */
  void returned(GatedPod pod, String node, ImmutableList<ClaimFacts> claims) {
    outcomes.accept(RETURNED);
    String text =
        "devices on %s are given back, where the scheduler finds no room: %s"
            .formatted(node, pod.refusal().orElse(""));
    sink.warn(onPod(pod, "GrantReturned", text));
    claims.forEach(claim -> sink.warn(onClaim(claim, text)));
  }

  /** The scheduler saw the pod without its gate before it saw the grant. */
  void overtaken() {
    outcomes.accept(OVERTAKEN);
  }

  private static Warning onPod(GatedPod pod, String reason, String text) {
    return new Warning(new Subject.OnPod(pod.ref()), reason, ImmutableSet.of(text), text);
  }

  private static Warning onClaim(ClaimFacts claim, String text) {
    return new Warning(
        new Subject.OnClaim(claim.ref(), claim.uid()),
        "GrantReturned",
        ImmutableSet.of(text),
        text);
  }
}
