package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Reason;
import java.util.Locale;
import java.util.stream.Collectors;

/** The reasons of this package; the cause says which, text is built when asked for. */
sealed interface Refusal extends Reason permits Refusal.Stated, Shortage {

  /** Farther than any lack of devices: the node cannot be used whatever is given back. */
  int OUT_OF_SERVICE = 1_000;

  Cause cause();

  @Override
  default String label() {
    return cause().label();
  }

  @Override
  default String phrase() {
    return cause().phrase();
  }

  @Override
  default boolean lasting() {
    return cause().lasting();
  }

  /** A reason that a few words explain; {@code template} is a format for {@code words}. */
  record Stated(Cause cause, String template, ImmutableList<String> words) implements Refusal {

    @Override
    public String text() {
      return String.format(Locale.ROOT, template, words.toArray());
    }

    @Override
    public int shortfall() {
      return switch (cause) {
        case NOT_TOGETHER, STILL_PREPARED, NAME_HELD, HELD -> 1;
        default -> OUT_OF_SERVICE;
      };
    }
  }

  static Refusal stated(Cause cause, String template, String... words) {
    return new Stated(cause, template, ImmutableList.copyOf(words));
  }

  static Refusal held(String node) {
    return stated(Cause.HELD, "claim already holds GPUs of %s", node);
  }

  static Refusal notTogether(ClaimRequest claim, PodRequest request) {
    String others =
        request.claims().stream()
            .filter(other -> !other.uid().equals(claim.uid()))
            .map(other -> other.ref().toString())
            .collect(Collectors.joining(", "));
    return stated(
        Cause.NOT_TOGETHER, "fits alone, but not together with %s of the same pod", others);
  }
}
