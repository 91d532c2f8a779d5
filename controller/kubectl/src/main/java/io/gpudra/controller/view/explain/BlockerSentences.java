package io.gpudra.controller.view.explain;

import io.gpudra.controller.dra.telling.PodBlocker;
import java.util.stream.Stream;

/** The text about obstacles, including those that the scheduler reports and our events omit. */
final class BlockerSentences {
  private BlockerSentences() {}

  static Stream<String> texts(PodBlocker podBlocker) {
    return switch (podBlocker.kind()) {
      case NOT_YET ->
          Stream.of(
              "the claim for its entry \"%s\" is not created yet".formatted(podBlocker.podClaim()));
      // Reported for the claim itself.
      case MISSING -> Stream.empty();
      case NOT_OWNED -> Stream.of("it was created for another pod");
      case ENDING -> Stream.of("it is being deleted or deallocated");
      case TOO_MANY,
          CLASS_ABSENT,
          NAMESPACE_NOT_ALLOWED,
          CLASS_LIMIT,
          ATTRIBUTE_FORBIDDEN,
          PARAMETERS_MISSING,
          PARAMETERS_INVALID ->
          podBlocker.texts().stream();
    };
  }
}
