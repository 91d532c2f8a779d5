package io.gpudra.kubeletplugin.app;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import io.gpudra.process.PageContent;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The liveness of this process, evaluated at most once in two seconds however often it is read. */
final class LivenessCheck {
  private static final Duration MAX_AGE = Duration.ofSeconds(2);

  private final Supplier<PageContent> content;

  /**
   * A check that has evaluated nothing yet.
   *
   * @param mountProblem the reason why the CDI directory is no longer the host's, if so: then only
   *     a new container helps
   * @param socketsAnswer whether the kubelet can call this process
   */
  LivenessCheck(Supplier<Optional<String>> mountProblem, BooleanSupplier socketsAnswer) {
    this.content =
        Suppliers.memoizeWithExpiration(
            () -> PageContent.health(problems(mountProblem, socketsAnswer)), MAX_AGE);
  }

  PageContent content() {
    return content.get();
  }

  private static ImmutableList<String> problems(
      Supplier<Optional<String>> mountProblem, BooleanSupplier socketsAnswer) {
    Optional<String> mount = mountProblem.get();
    if (mount.isPresent()) {
      return ImmutableList.of(mount.get());
    }
    return socketsAnswer.getAsBoolean()
        ? ImmutableList.of()
        : ImmutableList.of("a socket does not answer");
  }
}
