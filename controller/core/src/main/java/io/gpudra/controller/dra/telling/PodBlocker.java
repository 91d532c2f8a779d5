package io.gpudra.controller.dra.telling;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import java.util.Optional;

/**
 * The reason why no claim of a pod may be allocated in this pass.
 *
 * @param podClaim name of the pod's entry, empty when no pod is concerned
 * @param claim the blocking claim, absent when it does not exist yet
 * @param texts the texts for users, a sentence each; empty when the scheduler reports it already
 */
public record PodBlocker(
    Kind kind, String podClaim, Optional<ClaimFacts> claim, ImmutableList<String> texts) {

  public enum Kind {
    /** The claim is not generated yet. */
    NOT_YET,
    /** The named claim does not exist. */
    MISSING,
    /** The claim was generated for another pod. */
    NOT_OWNED,
    /** The claim is being deleted or deallocated. */
    ENDING,
    /** The claims are more than any node could serve. */
    TOO_MANY,
    CLASS_ABSENT,
    NAMESPACE_NOT_ALLOWED,
    CLASS_LIMIT,
    ATTRIBUTE_FORBIDDEN,
    PARAMETERS_MISSING,
    PARAMETERS_INVALID
  }

  /** These also affect the pod's other claims; the rest blocks only the allocation. */
  private static final ImmutableSet<Kind> WHOLE_POD =
      ImmutableSet.of(Kind.NOT_YET, Kind.MISSING, Kind.NOT_OWNED, Kind.ENDING, Kind.TOO_MANY);

  /** These may result from a pod that was read too early or is gone. */
  private static final ImmutableSet<Kind> DOUBTS =
      ImmutableSet.of(Kind.NOT_YET, Kind.MISSING, Kind.NOT_OWNED);

  /**
   * A pod waits for more claims than the limit.
   *
   * @param claim one of them
   */
  public static PodBlocker tooMany(String podClaim, ClaimFacts claim, int entries, int most) {
    String text =
        "the pod has %d entries for claims that wait for this driver; at most %d can be served"
                .formatted(entries, most)
            + " together";
    return new PodBlocker(Kind.TOO_MANY, podClaim, Optional.of(claim), ImmutableList.of(text));
  }

  public static PodBlocker classAbsent(String podClaim, ClaimFacts claim) {
    String text = "ResourceClass \"" + claim.className() + "\" not found";
    return new PodBlocker(Kind.CLASS_ABSENT, podClaim, Optional.of(claim), ImmutableList.of(text));
  }

  public static <P> Optional<PodBlocker> ofParameters(
      String podClaim, ClaimFacts claim, DriverParameters<P> parameters) {
    if (parameters instanceof DriverParameters.Missing<P> missing) {
      ImmutableList<String> texts = ImmutableList.of(missing.text());
      return Optional.of(
          new PodBlocker(Kind.PARAMETERS_MISSING, podClaim, Optional.of(claim), texts));
    }
    if (parameters instanceof DriverParameters.NotAllowed<P> not) {
      ImmutableList<String> texts = ImmutableList.of(not.text());
      return Optional.of(
          new PodBlocker(Kind.NAMESPACE_NOT_ALLOWED, podClaim, Optional.of(claim), texts));
    }
    if (parameters instanceof DriverParameters.OverLimit<P> over) {
      return Optional.of(
          new PodBlocker(Kind.CLASS_LIMIT, podClaim, Optional.of(claim), over.texts()));
    }
    if (parameters instanceof DriverParameters.Forbidden<P> forbidden) {
      return Optional.of(
          new PodBlocker(
              Kind.ATTRIBUTE_FORBIDDEN, podClaim, Optional.of(claim), forbidden.problems()));
    }
    if (parameters instanceof DriverParameters.Invalid<P> invalid) {
      return Optional.of(
          new PodBlocker(
              Kind.PARAMETERS_INVALID, podClaim, Optional.of(claim), invalid.problems()));
    }
    return Optional.empty();
  }

  public boolean wholePod() {
    return WHOLE_POD.contains(kind);
  }

  public boolean doubtsThePod() {
    return DOUBTS.contains(kind);
  }
}
