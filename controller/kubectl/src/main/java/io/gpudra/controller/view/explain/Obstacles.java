package io.gpudra.controller.view.explain;

import io.gpudra.controller.dra.telling.Obstacle;
import java.util.stream.Stream;

/** Obstacles in words, also those that the scheduler tells of and events leave out. */
final class Obstacles {
  private Obstacles() {}

  static Stream<String> texts(Obstacle obstacle) {
    return switch (obstacle.kind()) {
      case NOT_YET ->
          Stream.of("the claim of its entry \"%s\" is not made yet".formatted(obstacle.podClaim()));
      // Told of the claim itself.
      case MISSING -> Stream.empty();
      case NOT_OWNED -> Stream.of("it was made for another pod");
      case ENDING -> Stream.of("it is being deleted or gives its devices back");
      case TOO_MANY,
          CLASS_ABSENT,
          NAMESPACE_NOT_ALLOWED,
          CLASS_LIMIT,
          ATTRIBUTE_FORBIDDEN,
          PARAMETERS_MISSING,
          PARAMETERS_INVALID ->
          obstacle.texts().stream();
    };
  }
}
