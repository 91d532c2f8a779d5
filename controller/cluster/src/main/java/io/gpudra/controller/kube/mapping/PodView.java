package io.gpudra.controller.kube.mapping;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.gate.MemberFacts;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod with the fields for commands.
 *
 * @param node where it runs or will run
 * @param phase such as {@code Pending}; empty if it is not set
 * @param owner the UID of its controller
 */
public record PodView(
    PodFacts facts,
    Instant created,
    Optional<String> node,
    String phase,
    Optional<String> owner,
    Scheduling scheduling) {

  /** The fields that count in its group. */
  public MemberFacts member() {
    return new MemberFacts(
        facts.ref(),
        owner,
        node.isPresent(),
        facts.deleting(),
        MemberMapping.phase(phase),
        MemberMapping.claims(facts));
  }

  /**
   * The scheduling state of the pod.
   *
   * @param gates scheduling gates
   * @param scheduler name of its scheduler
   * @param refusal the scheduler's message that says why it is unschedulable
   */
  public record Scheduling(
      ImmutableList<String> gates, String scheduler, Optional<String> refusal) {
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** The state of a pod that kube-scheduler has not tried to schedule. */
    public static final Scheduling USUAL =
        new Scheduling(ImmutableList.of(), DEFAULT_SCHEDULER, Optional.empty());

    /** Whether the scheduler has the default name. */
    public boolean isOfDefaultScheduler() {
      return scheduler.equals(DEFAULT_SCHEDULER);
    }
  }
}
