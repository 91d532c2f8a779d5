package io.gpudra.kubeletplugin.prepare.step;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import java.io.IOException;
import java.util.Optional;

/** The steps from nothing to prepared, in order. */
public record PreparePlan(ImmutableList<PrepareStep> steps) {

  /**
   * Runs all steps, or stops at the first that fails or when the caller is gone; then the caller of
   * this method decides about {@link #undo}.
   */
  public Optional<PrepareRefusal> apply(PrepareCall call) {
    for (PrepareStep step : steps) {
      if (call.cancelled()) {
        return Optional.of(
            new PrepareRefusal(PrepareRefusal.Kind.CANCELLED, "the call was cancelled"));
      }
      try {
        step.apply();
      } catch (IOException | RuntimeException e) {
        return Optional.of(
            new PrepareRefusal(PrepareRefusal.Kind.FAILED, "cannot prepare: " + text(e)));
      }
    }
    return Optional.empty();
  }

  /** An unexpected exception is a failure, too, and its type is worth reporting. */
  private static String text(Exception failure) {
    return failure instanceof IOException
        ? String.valueOf(failure.getMessage())
        : failure.toString();
  }

  /**
   * Undoes all steps, last first, also those that never ran; a failing step does not stop the
   * others.
   */
  public Optional<PrepareRefusal> undo() {
    ImmutableList.Builder<String> problems = ImmutableList.builder();
    for (PrepareStep step : steps.reverse()) {
      try {
        step.undo();
      } catch (IOException | RuntimeException e) {
        problems.add(text(e));
      }
    }
    String text = String.join("; ", problems.build());
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(new PrepareRefusal(PrepareRefusal.Kind.FAILED, "cannot tear down: " + text));
  }
}
