package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlReturn;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * How processes share a GPU: the compute mode, and the length of time slices, which only {@code
 * nvidia-smi} can set and no function reports (nvidia.md 4).
 */
final class ComputePolicy {

  private static final String PROGRAM = "nvidia-smi";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Exit code of the program without permission. */
  private static final int NO_PERMISSION = 4;

  private final Supplier<DriverRoot> driver;

  /** By UUID of the GPU, if this process set it: whether time slices have the default length. */
  private final Map<String, Boolean> usual = new ConcurrentHashMap<>();

  /** No policy is set yet. */
  ComputePolicy(Supplier<DriverRoot> driver) {
    this.driver = driver;
  }

  /**
   * Sets the interval; the default length needs no call where no other can be set, or could be. A
   * refused call changes nothing; a call without an answer may have.
   */
  void set(DiscoveredGpu gpu, Interval interval) throws IOException {
    Optional<Path> program = driver.get().program(PROGRAM);
    String uuid = gpu.gpu().uuid();
    boolean fixed = program.isEmpty() || gpu.architecture() <= NvmlCatalogue.PASCAL;
    if (interval == Interval.DEFAULT && (fixed || usual.getOrDefault(uuid, false))) {
      return;
    }
    Path present =
        program.orElseThrow(
            () ->
                new IOException(
                    "turns cannot be %s: there is no %s below %s"
                        .formatted(interval.text(), PROGRAM, driver.get().path())));
    boolean before = usual.getOrDefault(uuid, true) && interval != Interval.DEFAULT;
    usual.put(uuid, false);
    Optional<String> refusal = run(present, uuid, interval);
    usual.put(uuid, refusal.isPresent() ? before : interval == Interval.DEFAULT);
    if (refusal.isPresent()) {
      throw new IOException(refusal.get());
    }
  }

  /** Runs the program; returns the reason of a refusal. */
  private Optional<String> run(Path program, String uuid, Interval interval) throws IOException {
    DriverProgram.Result result =
        new DriverProgram(
                ImmutableList.of(
                    program.toString(),
                    "compute-policy",
                    "-i",
                    uuid,
                    "--set-timeslice",
                    number(interval)),
                ImmutableMap.of("LD_PRELOAD", driver.get().library().toString()))
            .run("", TIMEOUT);
    return result.status() == 0
        ? Optional.empty()
        : Optional.of(
            "%s: %s%s".formatted(PROGRAM, lastLine(result.words()), remedy(result.status())));
  }

  private static String remedy(int status) {
    return status == NO_PERMISSION ? NvmlSession.remedy(NvmlReturn.NO_PERMISSION) : "";
  }

  private static String number(Interval interval) {
    return switch (interval) {
      case DEFAULT -> "0";
      case SHORT -> "1";
      case MEDIUM -> "2";
      case LONG -> "3";
    };
  }

  private static String lastLine(String words) {
    return words.lines().reduce("", (before, line) -> line);
  }

  /** Some GPUs, such as virtual ones, only have the default mode and accept no other. */
  void set(DiscoveredGpu gpu, ComputeMode mode) throws NvmlException {
    int number =
        mode == ComputeMode.DEFAULT ? NvmlCatalogue.ANY_PROCESS : NvmlCatalogue.ONE_PROCESS;
    if (gpu.handle().computeMode().orElse(NvmlCatalogue.ANY_PROCESS) != number) {
      gpu.handle().setComputeMode(number);
    }
  }
}
