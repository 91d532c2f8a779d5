package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.time.Instant;
import java.util.function.Supplier;

/** Port to the users: events on claims and pods, and the metrics of the same facts. */
public interface ReportSink {

  /**
   * Sends a warning while this process leads. The same subject, reason and causes are sent again
   * after five minutes at the earliest, unless the first warning was lost.
   */
  void warn(Warning warning);

  /**
   * Sends a warning about the report of a node, in the way of {@link #warn}. The node has one turn
   * among the namespaces, however many claims the report names.
   */
  default void warnOfNode(String node, Warning warning) {
    warn(warning);
  }

  /** Sends a normal event, in the way of {@link #warn}; does nothing by default. */
  default void note(Warning event) {}

  /** Counts a refusal. */
  void refused(UnsuitableReason.Kind kind);

  /**
   * Devices were allocated to waiting claims, to be measured; called once for each class. Does
   * nothing by default.
   *
   * @param mode whether the claims waited for a pod, or one of Immediate mode was allocated without
   *     a pod
   * @param claim one of these claims
   * @param asked the creation time of the pod's scheduling context, or of the claim
   */
  default void granted(Mode mode, ClaimFacts claim, Instant asked) {}

  /**
   * Devices were allocated to claims whose pod waits at its gate, to be measured; called once for
   * each class. Does nothing by default.
   *
   * @param claim one of these claims
   * @param created the creation time of the pod
   */
  default void grantedAtGate(ClaimFacts claim, Instant created) {}

  /**
   * All members of a group lost their gates, to be measured. Does nothing by default.
   *
   * @param size the class of its size
   * @param created the creation time of its youngest member
   */
  default void groupStarted(String size, Instant created) {}

  /** The claim is about to be deallocated; to be measured. Does nothing by default. */
  default void releasing(ClaimUid claim) {}

  /**
   * An event.
   *
   * @param reason CamelCase, of api.md 7.2
   * @param causes the facts that distinguish this warning from the last one; numbers in the message
   *     do not
   * @param text computed only when it is sent: most warnings were sent before
   * @param bytes the estimated memory that the text takes until then
   */
  record Warning(
      Subject subject,
      String reason,
      ImmutableSet<String> causes,
      Supplier<String> text,
      long bytes) {
    /** A warning with a finished text. */
    public Warning(Subject subject, String reason, ImmutableSet<String> causes, String message) {
      this(subject, reason, causes, () -> message, MemoryBudget.text(message));
    }

    /** The text for users. */
    public String message() {
      return text.get();
    }
  }

  /** The object on which the warning is shown. */
  sealed interface Subject {

    /** A claim. */
    record OnClaim(ClaimRef ref, ClaimUid uid) implements Subject {}

    /** A pod. */
    record OnPod(PodRef ref) implements Subject {}
  }
}
