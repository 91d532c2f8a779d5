package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.Reason;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Port to the people who wait: warnings on the objects they look at, and the metrics of the same
 * facts.
 */
public interface Reports {

  /**
   * Tells it while this process leads; the same subject, reason and causes are told again after
   * five minutes at the earliest, unless the first time was lost.
   */
  void warn(Warning warning);

  /** Tells what happened as it should, in the way of {@link #warn}; by default to nobody. */
  default void note(Warning event) {}

  /** Counts a refusal by its label. */
  void refused(Reason reason);

  /**
   * Devices are there for whoever waited for them; to be measured, by default by nobody. Told once
   * for each class.
   *
   * @param mode whether a pod waited for its claims, or a claim of Immediate mode by itself
   * @param claim one of those that got them
   * @param asked creation of the pod's scheduling context, or of the claim
   */
  default void granted(Mode mode, ClaimFacts claim, Instant asked) {}

  /** What this claim has is about to be given back; to be measured, by default by nobody. */
  default void releasing(ClaimUid claim) {}

  /**
   * An event.
   *
   * @param reason CamelCase, of api.md 7.2
   * @param causes what makes this warning differ from the last one: numbers in the message do not
   * @param text made only when it is told: most warnings were told before
   */
  record Warning(
      Subject subject, String reason, ImmutableSet<String> causes, Supplier<String> text) {
    /** One whose text is there already. */
    public Warning(Subject subject, String reason, ImmutableSet<String> causes, String message) {
      this(subject, reason, causes, () -> message);
    }

    /** For people. */
    public String message() {
      return text.get();
    }
  }

  /** The object the warning is shown on. */
  sealed interface Subject {

    /** On a claim. */
    record OnClaim(ClaimRef ref, ClaimUid uid) implements Subject {}

    /** On a pod. */
    record OnPod(PodRef ref) implements Subject {}
  }
}
