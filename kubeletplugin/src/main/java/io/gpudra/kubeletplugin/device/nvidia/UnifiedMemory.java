package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableMap;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's module without which no program can run CUDA. After a boot, neither the module nor
 * its device node need exist: on many nodes the first program that runs CUDA lets the driver load
 * it, which a program in a container cannot.
 */
final class UnifiedMemory {

  /** The name of its device node. */
  static final String NODE = "nvidia-uvm";

  private static final Logger log = LoggerFactory.getLogger(UnifiedMemory.class);

  private static final String PROGRAM = "nvidia-modprobe";
  private static final String[] ARGUMENTS = {"-u", "-c", "0"};

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Supplier<DriverRoot> driver;
  private final Path node;
  private boolean missed;

  /**
   * Nothing is loaded yet.
   *
   * @param dev the directory of device nodes
   */
  UnifiedMemory(Supplier<DriverRoot> driver, Path dev) {
    this.driver = driver;
    this.node = dev.resolve(NODE);
  }

  /**
   * Loads the module when it is missing; returns a warning when that fails. Tried once each time
   * that it is gone.
   */
  synchronized Optional<String> require() {
    boolean there = Files.exists(node);
    boolean news = !there && !missed;
    missed = !there;
    return news ? load() : Optional.empty();
  }

  private Optional<String> load() {
    try {
      run();
      log.info("module was loaded node={}", node);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "containers cannot run CUDA: %s is not there, and %s; run %s %s on the node at each boot"
              .formatted(node, e.getMessage(), PROGRAM, String.join(" ", ARGUMENTS)));
    }
  }

  /** Runs the program, which starts others of its root and creates files there. */
  private void run() throws IOException {
    DriverRoot root = driver.get();
    Path program =
        root.program(PROGRAM)
            .orElseThrow(
                () -> new IOException("there is no %s below %s".formatted(PROGRAM, root.path())));
    DriverProgram.Result result =
        new DriverProgram(
                DriverProgram.inRoot(root.path(), root.inside(program), ARGUMENTS),
                ImmutableMap.of())
            .run("", TIMEOUT);
    if (result.status() != 0 || !Files.exists(node)) {
      throw new IOException(
          "%s did not make it: status %d, \"%s\""
              .formatted(PROGRAM, result.status(), result.words()));
    }
  }
}
