package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.Sharing.Interval;
import io.gpudra.kubeletplugin.device.program.DriverProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Lengths of turns, which only {@code nvidia-smi} can set (nvidia.md 4). */
record ComputePolicy(Supplier<DriverRoot> driver) {

  private static final String PROGRAM = "nvidia-smi";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Sets it; the usual length needs nothing where nothing else can be set. */
  void set(FoundGpu gpu, Interval interval) throws IOException {
    Optional<Path> program = driver.get().program(PROGRAM);
    boolean fixed = program.isEmpty() || gpu.architecture() <= Catalogue.PASCAL;
    if (interval == Interval.DEFAULT && fixed) {
      return;
    }
    Path present =
        program.orElseThrow(
            () ->
                new IOException(
                    "turns cannot be %s: there is no %s below %s"
                        .formatted(interval.text(), PROGRAM, driver.get().path())));
    run(present, gpu.gpu().uuid(), interval);
  }

  private void run(Path program, String uuid, Interval interval) throws IOException {
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
            .run("", PATIENCE);
    if (result.status() != 0) {
      throw new IOException("%s: %s".formatted(PROGRAM, lastLine(result.words())));
    }
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
}
