package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The same with a program that is called as NVIDIA's is, and what it is told. */
class NvidiaMpsTest extends MpsProcessesTest {

  /** Serves with {@code -f}, otherwise sends what it reads to who serves. */
  private static final String PROGRAM =
      """
      #!/bin/sh
      pipe=$CUDA_MPS_PIPE_DIRECTORY/control
      if [ "$1" = -f ]; then
        echo "$CUDA_VISIBLE_DEVICES $LD_LIBRARY_PATH" > "$0.serves"
        echo $$ > "$pipe"
        exec sleep 600
      fi
      [ -e "$pipe" ] || { echo "Cannot find MPS control daemon process"; exit 1; }
      read -r command
      echo "$command" >> "$0.told"
      case $command in
        get_default_active_thread_percentage) echo 100.0 ;;
        quit) kill "$(cat "$pipe")" ;;
      esac
      """;

  private Path program() {
    Path program = directory.resolve("nvidia-cuda-mps-control");
    try {
      if (Files.notExists(program)) {
        Files.writeString(program, PROGRAM);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
      return program;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  MpsControl control() {
    return new NvidiaMpsControl(program(), Path.of("/driver/lib64"));
  }

  @Test
  void itIsToldItsLimitsBeforeAnyClientComes() throws IOException {
    new MpsProcesses(directory.resolve("mps"), control(), Duration.ofSeconds(60))
        .start(
            new MpsServer(
                "gpu-0",
                ImmutableSortedMap.of("GPU-0", 1L << 30, "MIG-7", 0L),
                OptionalInt.of(50)));

    assertThat(Files.readAllLines(Path.of(program() + ".serves")))
        .containsExactly("GPU-0,MIG-7 /driver/lib64");
    assertThat(Files.readAllLines(Path.of(program() + ".told")))
        .endsWith(
            "get_default_active_thread_percentage",
            "set_default_active_thread_percentage 50",
            "set_default_device_pinned_mem_limit GPU-0 1024M");
  }

  @Test
  void whoAsksNobodyHearsWhatTheProgramSays() {
    assertThatThrownBy(() -> control().ask(directory, "quit", Duration.ofSeconds(60)))
        .hasMessage(program() + ": quit: Cannot find MPS control daemon process");
  }
}
