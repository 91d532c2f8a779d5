package io.gpudra.controller.kube.mapping;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.PodFacts;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod as people ask about it.
 *
 * @param node where it runs or is to run
 * @param phase such as {@code Pending}; empty when nobody has said
 */
public record PodSight(
    PodFacts facts, Instant created, Optional<String> node, String phase, Scheduling scheduling) {

  /**
   * What its scheduler is told of it, and says of it.
   *
   * @param gates that keep it from every scheduler
   * @param scheduler name of the one that is to place it
   * @param refusal why that did not place it when it tried last, in its own words
   */
  public record Scheduling(
      ImmutableList<String> gates, String scheduler, Optional<String> refusal) {
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** Of a pod that kube-scheduler has not tried to place. */
    public static final Scheduling USUAL =
        new Scheduling(ImmutableList.of(), DEFAULT_SCHEDULER, Optional.empty());

    /** Whether the name is that of kube-scheduler where nobody configured another one. */
    public boolean isOfDefaultScheduler() {
      return scheduler.equals(DEFAULT_SCHEDULER);
    }
  }
}
