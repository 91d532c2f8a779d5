package io.gpudra.controller.allocation.ledger;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.ExecutionError;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Isolates a failure in the evaluation of one node: the other nodes are still evaluated. This
 * includes a stack overflow, whose depth depends on user data. It excludes a lack of memory, since
 * the code that runs out of memory is rarely the code that used it.
 */
public final class FaultIsolation {
  private static final String OURS = "io.gpudra.";
  private static final int MAX_CHARACTERS = 256;

  private FaultIsolation() {}

  /**
   * Evaluates one node.
   *
   * @param otherwise computes the result after a failure, from the text of the failure
   */
  public static <T> T evaluate(Supplier<T> evaluation, Function<String, T> otherwise) {
    try {
      return evaluation.get();
    } catch (RuntimeException | StackOverflowError e) {
      return otherwise.apply(text(e));
    } catch (ExecutionError e) {
      if (e.getCause() instanceof StackOverflowError deep) {
        return otherwise.apply(text(deep));
      }
      throw e;
    }
  }

  /** Runs a step that has no result. */
  public static void evaluate(Runnable step) {
    evaluate(
        () -> {
          step.run();
          return true;
        },
        why -> false);
  }

  /** The failure and where it happened. */
  private static String text(Throwable thrown) {
    Throwable cause = Throwables.getRootCause(thrown);
    String place =
        Arrays.stream(cause.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith(OURS))
            .findFirst()
            .map(frame -> " at %s:%d".formatted(frame.getFileName(), frame.getLineNumber()))
            .orElse("");
    String what = String.valueOf(cause);
    return what.substring(0, Math.min(what.length(), MAX_CHARACTERS)) + place;
  }
}
