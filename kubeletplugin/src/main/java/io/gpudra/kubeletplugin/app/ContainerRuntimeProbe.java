package io.gpudra.kubeletplugin.app;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether the container runtime reads CDI files. containerd 1.7 does so only if configured;
 * otherwise it silently starts containers without GPUs. Earlier versions are known by their number,
 * which {@code doctor} checks. Later versions read CDI files unless configured otherwise.
 */
final class ContainerRuntimeProbe {
  static final Duration PAUSE = Duration.ofSeconds(10);

  /** The version is kept so long: it is read from the API server, and only where it matters. */
  static final Duration REMEMBERED = Duration.ofMinutes(10);

  private static final Logger log = LoggerFactory.getLogger(ContainerRuntimeProbe.class);

  private static final Pattern REPORTED =
      Pattern.compile("containerd://v?1\\.7\\.[0-9A-Za-z.+~-]{1,40}");

  private final ContainerdConfig config;
  private final Supplier<Optional<String>> runtime;
  private final LongSupplier nanos;
  private Optional<String> version = Optional.empty();
  private long asked;
  private volatile Optional<String> problem = Optional.empty();

  /**
   * A probe that has made no call yet.
   *
   * @param runtime name and version as the node reports them; empty when the API server does not
   *     answer
   */
  ContainerRuntimeProbe(
      ContainerdConfig config, Supplier<Optional<String>> runtime, LongSupplier nanos) {
    this.config = config;
    this.runtime = runtime;
    this.nanos = nanos;
  }

  /** The result of the last probe: why containers would run without their GPUs, if so. */
  Optional<String> problem() {
    return problem;
  }

  /** Reads the configuration, and reads the version if it is due. */
  synchronized void probe() {
    Optional<String> found = config.withoutCdi().flatMap(this::problem);
    if (!found.equals(problem)) {
      found.ifPresentOrElse(
          now -> log.error("node accepts no pods with GPU claims reason=\"{}\"", now),
          () -> log.info("the container runtime reads CDI files again"));
    }
    problem = found;
  }

  private Optional<String> problem(Path file) {
    return version()
        .filter(name -> REPORTED.matcher(name).matches())
        .map(
            name ->
                "container runtime %s would start containers without their GPUs: enable_cdi is not true in %s of the node"
                    .formatted(name, file));
  }

  private Optional<String> version() {
    if (version.isEmpty() || nanos.getAsLong() - asked >= REMEMBERED.toNanos()) {
      runtime
          .get()
          .ifPresent(
              answer -> {
                version = Optional.of(answer);
                asked = nanos.getAsLong();
              });
    }
    return version;
  }
}
