package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.kubeletplugin.device.program.DriverProgram;
import io.gpudra.kubeletplugin.device.program.OwnMounts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Of NVIDIA's own program, which is started once to serve and once for each command, that it reads
 * from its input (nvidia.md 5). It finds the driver's libraries and the program of the server
 * wherever the driver is.
 *
 * @param program {@code nvidia-cuda-mps-control}
 * @param libraries the directory of the driver's libraries
 */
record NvidiaMpsControl(Path program, Path libraries) implements MpsControl {

  @Override
  public ImmutableList<String> server() {
    return ImmutableList.of(program.toString(), "-f");
  }

  @Override
  public ImmutableMap<String, String> environment() {
    return ImmutableMap.of(
        "LD_LIBRARY_PATH",
        libraries.toString(),
        "PATH",
        program.resolveSibling("") + File.pathSeparator + System.getenv().getOrDefault("PATH", ""));
  }

  /** It meets its clients in memory that both see as {@code /dev/shm}. */
  @Override
  public Process start(ProcessBuilder server, MpsPaths paths) throws IOException {
    OwnMounts.mountMemory(paths.memory());
    return OwnMounts.start(server, paths.memory(), Path.of("/dev/shm"));
  }

  @Override
  public void cleanUp(MpsPaths paths) throws IOException {
    OwnMounts.unmount(paths.memory());
  }

  @Override
  public String ask(Path pipes, String command, Duration patience) throws IOException {
    ImmutableMap<String, String> variables =
        ImmutableMap.<String, String>builder()
            .putAll(environment())
            .put("CUDA_MPS_PIPE_DIRECTORY", pipes.toString())
            .buildOrThrow();
    DriverProgram.Result answer =
        new DriverProgram(ImmutableList.of(program.toString()), variables)
            .run(command + "\n", patience);
    if (answer.status() != 0) {
      throw new IOException("%s: %s: %s".formatted(program, command, answer.words()));
    }
    return answer.words();
  }
}
