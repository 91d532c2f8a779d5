package io.gpudra.controller.allocation.ledger;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.ExecutionError;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Whatever goes wrong while one node is judged is that node's own affair: the others are judged on.
 * A stack that is too short counts, since it is as deep as somebody's data; memory does not, since
 * who has none left is not the one who took it.
 */
public final class Fence {
  private static final String OURS = "io.gpudra.";
  private static final int MOST_CHARACTERS = 256;

  private Fence() {}

  /**
   * What is found out about one node.
   *
   * @param otherwise what stands for it when it cannot be found out; is told why
   */
  public static <T> T around(Supplier<T> judgement, Function<String, T> otherwise) {
    try {
      return judgement.get();
    } catch (RuntimeException | StackOverflowError e) {
      return otherwise.apply(text(e));
    } catch (ExecutionError e) {
      if (e.getCause() instanceof StackOverflowError deep) {
        return otherwise.apply(text(deep));
      }
      throw e;
    }
  }

  /** The same of what is only done. */
  public static void around(Runnable step) {
    around(
        () -> {
          step.run();
          return true;
        },
        why -> false);
  }

  /** Enough to find the place. */
  private static String text(Throwable thrown) {
    Throwable cause = Throwables.getRootCause(thrown);
    String place =
        Arrays.stream(cause.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith(OURS))
            .findFirst()
            .map(frame -> " at %s:%d".formatted(frame.getFileName(), frame.getLineNumber()))
            .orElse("");
    String what = String.valueOf(cause);
    return what.substring(0, Math.min(what.length(), MOST_CHARACTERS)) + place;
  }
}
