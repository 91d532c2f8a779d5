package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.mps.MpsProcesses;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.device.mps.NoMps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where the driver's files are: the node's own root, that of a driver container, or one that
 * somebody named (nvidia.md 3.3).
 *
 * @param node the node's own root, as this process sees it
 * @param host where the driver is as the node sees it, which is what a container runtime is told
 * @param library the management library, as this process sees it
 */
public record DriverRoot(Path node, Path host, Path library) {

  private static final ImmutableList<Path> USUAL =
      ImmutableList.of(
          Path.of("/run/nvidia/driver"), Path.of("/"), Path.of("/home/kubernetes/bin/nvidia"));

  private static final ImmutableList<String> LIBRARIES =
      ImmutableList.of(
          "usr/lib64",
          "usr/lib/x86_64-linux-gnu",
          "usr/lib/aarch64-linux-gnu",
          "usr/lib/x86_64-linux-gnu/nvidia/current",
          "usr/lib/aarch64-linux-gnu/nvidia/current",
          "lib64",
          "lib/x86_64-linux-gnu",
          "lib/aarch64-linux-gnu");

  private static final ImmutableList<String> PROGRAMS =
      ImmutableList.of("opt/bin", "usr/bin", "usr/sbin", "bin", "sbin");

  private static final String SERVERS = "nvidia-cuda-mps-control";

  private static final String LIBRARY = "libnvidia-ml.so.1";

  /** As the kernel has it. */
  private static final int MOST_LINKS = 40;

  /**
   * The one that was named, or the first of the usual places that has a driver.
   *
   * @param named as the node calls it
   * @param node where the node's root is, as this process sees it
   * @throws IOException naming each place where none was found, and what to do
   */
  public static DriverRoot find(Optional<Path> named, Path node) throws IOException {
    ImmutableList<Path> roots = named.map(ImmutableList::of).orElse(USUAL);
    for (Path root : roots) {
      Optional<Path> library = first(below(node, root), LIBRARIES, LIBRARY);
      if (library.isPresent()) {
        return new DriverRoot(node, root, library.get());
      }
    }
    throw new IOException(
        ("no NVIDIA driver: %s is in none of %s below %s; install the driver, or say with"
                + " --driver-root where it is")
            .formatted(
                LIBRARY,
                String.join(", ", LIBRARIES),
                roots.stream().map(Path::toString).collect(Collectors.joining(", "))));
  }

  private static Path below(Path root, Path inside) {
    return root.resolve(Path.of("/").relativize(inside));
  }

  /** Where the driver is, as this process sees it. */
  public Path path() {
    return below(node, host);
  }

  /** The same with whatever version of the driver is there now. */
  DriverRoot again() throws IOException {
    return new DriverRoot(node, host, first(path(), LIBRARIES, LIBRARY).orElse(library));
  }

  /** A driver container has its own device nodes; otherwise the kernel's are the node's. */
  Path dev(Path kernel) {
    Path own = path().resolve("dev");
    return Files.exists(own.resolve("nvidiactl")) ? own : kernel.resolve("dev");
  }

  /** Servers in this directory, if the driver has the program for them. */
  public MpsServers mps(Path directory) throws IOException {
    Optional<Path> program = program(SERVERS);
    if (program.isEmpty()) {
      return new NoMps();
    }
    return isSystem()
        ? MpsProcesses.nvidia(directory, path(), inside(program.get()), Optional.empty())
        : MpsProcesses.nvidia(
            directory,
            node,
            onHost(program.get()),
            Optional.of(onHost(library.resolveSibling(""))));
  }

  /** Whether the driver's programs find the C library that they need in its root, too. */
  private boolean isSystem() throws IOException {
    return first(path(), LIBRARIES, "ld-linux-x86-64.so.2").isPresent()
        || first(path(), LIBRARIES, "ld-linux-aarch64.so.1").isPresent()
        || resolve(Path.of("/lib/ld-linux-aarch64.so.1")).isPresent();
  }

  /** Whether a GPU can be shared through a server. */
  boolean hasServers() throws IOException {
    return program(SERVERS).isPresent();
  }

  /** A program of the driver, such as {@code nvidia-smi}. */
  Optional<Path> program(String name) throws IOException {
    return first(path(), PROGRAMS, name).filter(Files::isExecutable);
  }

  /** The file itself, where the name is that of a link. */
  private static Optional<Path> first(Path root, ImmutableList<String> directories, String name)
      throws IOException {
    for (String directory : directories) {
      Optional<Path> file = resolve(root, Path.of("/", directory, name));
      if (file.isPresent()) {
        return file;
      }
    }
    return Optional.empty();
  }

  /** Something in the root as the root itself calls it, such as {@code /usr/bin/nvidia-smi}. */
  Path inside(Path file) {
    return inside(path(), file);
  }

  private static Path inside(Path root, Path file) {
    return Path.of("/").resolve(root.relativize(file));
  }

  /** Something in the root as the node calls it. */
  Path onHost(Path file) {
    return host.resolve(path().relativize(file));
  }

  /** Whether something in the root, as the node calls it, is there. */
  boolean has(Path onHost) {
    return Files.exists(path().resolve(host.relativize(onHost)));
  }

  /** The file that a name leads to on the node itself, where a container runtime runs. */
  Optional<Path> ofNode(Path file) throws IOException {
    return resolve(node, file);
  }

  /**
   * The file that a name in the root leads to. Links lead from the root, not from ours.
   *
   * @param inside a name as the root has it
   * @return absent when it leads nowhere
   */
  Optional<Path> resolve(Path inside) throws IOException {
    return resolve(path(), inside);
  }

  private static Optional<Path> resolve(Path path, Path inside) throws IOException {
    Path left = Path.of("/").relativize(inside.normalize());
    Path reached = path;
    for (int links = 0; links < MOST_LINKS; ) {
      if (left.toString().isEmpty()) {
        return Optional.of(reached).filter(Files::exists);
      }
      Path next = reached.resolve(left.getName(0));
      Path rest = left.getNameCount() > 1 ? left.subpath(1, left.getNameCount()) : Path.of("");
      if (Files.isSymbolicLink(next)) {
        Path target = inside(path, reached).resolve(Files.readSymbolicLink(next));
        left = Path.of("/").relativize(target.resolve(rest).normalize());
        reached = path;
        links++;
      } else if (Files.exists(next, LinkOption.NOFOLLOW_LINKS)) {
        reached = next;
        left = rest;
      } else {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
