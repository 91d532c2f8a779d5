package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.kubeletplugin.device.os.ContainerLabel;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import io.gpudra.kubeletplugin.device.os.PrivateMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs NVIDIA's own program, once to serve and once for each command, which it reads from its input
 * (nvidia.md 5). Its C library is that of the system in which the driver was installed, and may not
 * fit ours, so it runs with the root of that system.
 *
 * @param root of that system, as this process sees it
 * @param program {@code nvidia-cuda-mps-control}, as in that system
 * @param libraries the directory of the driver's libraries in that system, if its linker does not
 *     know it
 */
record NvidiaMpsControl(Path root, Path program, Optional<Path> libraries) implements MpsControl {

  /** Directories of a running system, each with an entry that a bare directory lacks. */
  private static final ImmutableMap<String, String> KERNEL =
      ImmutableMap.of("dev", "nvidiactl", "proc", "self", "sys", "kernel");

  /** Files that clients leave there stay after they have ended, until the server stops. */
  private static final String OF_ALL_CLIENTS = "mode=1777,size=1g,nr_inodes=64k";

  /** The limits for sockets and locks; root of a container can write there, too. */
  private static final String OF_PIPES = "mode=755,size=4m,nr_inodes=4k";

  @Override
  public ImmutableList<String> server() {
    return DriverProgram.inRoot(root, program, "-f");
  }

  /** The program finds that of the server beside itself, and its directory at {@code /tmp}. */
  @Override
  public ImmutableMap<String, String> environment(MpsPaths paths) {
    ImmutableMap.Builder<String, String> variables = ImmutableMap.builder();
    libraries.ifPresent(some -> variables.put("LD_LIBRARY_PATH", some.toString()));
    // Libraries preloaded here do not exist in that root; the loader's warning would mix with the
    // answers.
    return variables
        .put("LD_PRELOAD", "")
        .put("PATH", program.resolveSibling("") + ":/usr/sbin:/usr/bin:/sbin:/bin")
        .put("CUDA_MPS_PIPE_DIRECTORY", "/tmp/" + paths.pipes().getFileName())
        .put("CUDA_MPS_LOG_DIRECTORY", "/tmp")
        .buildOrThrow();
  }

  @Override
  public void makeRoom(MpsPaths paths) throws IOException {
    if (!PrivateMounts.isMounted(paths.memory())) {
      PrivateMounts.mountMemory(paths.memory(), OF_ALL_CLIENTS);
    }
    if (!PrivateMounts.isMounted(paths.pipes()) && isEmpty(paths.pipes())) {
      PrivateMounts.mountMemory(paths.pipes(), OF_PIPES);
    }
    ContainerLabel.set(paths.pipes());
    ContainerLabel.set(paths.memory());
  }

  /** Otherwise an older plugin created it, and running containers have mounted it. */
  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.findAny().isEmpty();
    }
  }

  @Override
  public Process start(ProcessBuilder server, MpsPaths paths) throws IOException {
    return PrivateMounts.start(server, shown(paths));
  }

  /**
   * The directories that the server sees elsewhere. It shares memory with its clients that both see
   * as {@code /dev/shm}. The mount at {@code /tmp} comes last, since the directory may itself be
   * below that.
   */
  private ImmutableMap<Path, Path> shown(MpsPaths paths) {
    ImmutableMap.Builder<Path, Path> shown = ImmutableMap.builder();
    for (Map.Entry<String, String> some : KERNEL.entrySet()) {
      Path place = root.resolve(some.getKey());
      if (Files.exists(place) && Files.notExists(place.resolve(some.getValue()))) {
        shown.put(place, Path.of("/", some.getKey()));
      }
    }
    return shown
        .put(root.resolve("dev/shm"), paths.memory())
        .put(root.resolve("tmp"), paths.directory())
        .buildOrThrow();
  }

  @Override
  public void cleanUp(MpsPaths paths) throws IOException {
    PrivateMounts.unmount(paths.memory());
    PrivateMounts.unmount(paths.pipes());
  }

  @Override
  public String ask(MpsPaths paths, String command, Duration patience) throws IOException {
    DriverProgram asking =
        new DriverProgram(DriverProgram.inRoot(root, program), environment(paths));
    DriverProgram.Result answer =
        asking.run(process -> PrivateMounts.start(process, shown(paths)), command + "\n", patience);
    if (answer.status() != 0) {
      throw new IOException("%s: %s: %s".formatted(program, command, answer.words()));
    }
    return answer.words();
  }
}
