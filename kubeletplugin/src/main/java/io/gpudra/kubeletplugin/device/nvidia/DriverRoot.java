package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.mps.MpsProcesses;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.device.mps.NoMps;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The root of the driver's files: the node's own root, that of a driver container, or a configured
 * root (nvidia.md 3.3).
 *
 * @param search that found it
 * @param named the root as configured, perhaps a link
 * @param host the path of the driver on the node, which is passed to container runtimes
 * @param library the management library, as this process sees it
 */
public record DriverRoot(DriverSearch search, Path named, Path host, Path library) {

  private static final ImmutableList<String> PROGRAMS =
      ImmutableList.of(
          "opt/bin",
          "usr/bin",
          "usr/sbin",
          "bin",
          "sbin",
          "usr/local/bin",
          "run/current-system/sw/bin",
          "x86_64-bottlerocket-linux-gnu/sys-root/usr/libexec/nvidia/tesla/bin",
          "aarch64-bottlerocket-linux-gnu/sys-root/usr/libexec/nvidia/tesla/bin");

  private static final String SERVERS = "nvidia-cuda-mps-control";

  /** The device node of a GPU; other nodes may appear without one. */
  private static final String GPU_NODE = "nvidia[0-9]*";

  /**
   * The named root, or the first of the usual ones that has a driver.
   *
   * @param root its path on the node
   * @param libraries a configured directory of its libraries: the path on the node, or in the
   *     driver's root
   * @param node the node's root, as this process sees it
   * @throws IOException naming each place without a driver, and the remedy
   */
  public static DriverRoot find(Optional<Path> root, Optional<Path> libraries, Path node)
      throws IOException {
    ImmutableList<Path> roots = root.map(ImmutableList::of).orElse(DriverSearch.USUAL);
    return new DriverSearch(new RootFiles(node), roots, libraries).find();
  }

  /** The driver's root, as this process sees it. */
  public Path path() {
    return search.node().outside(host);
  }

  private RootFiles files() {
    return new RootFiles(path());
  }

  /** The same root with the version of the driver that is installed now. */
  DriverRoot again() throws IOException {
    return search.in(named).orElse(this);
  }

  /** The management libraries of drivers that were not chosen, by their paths on the node. */
  ImmutableSet<Path> others() throws IOException {
    return search.others(library);
  }

  /** A hint about them, in case the chosen one does not work. */
  String aside() throws IOException {
    ImmutableSet<Path> others = others();
    return others.isEmpty()
        ? ""
        : "; %s was taken, and left aside: %s"
            .formatted(onHost(library), Joiner.on(", ").join(others));
  }

  /** The directories that are searched for the driver's libraries. */
  LibraryDirectories directories() {
    return search.directories(named);
  }

  /** The linker's cache in the driver's root. */
  LinkerCache cache() throws IOException {
    return directories().cache(files());
  }

  /**
   * The directory of device nodes. A driver container has its own; otherwise the kernel's are the
   * node's. A program of the driver creates the driver's node wherever it runs, but no node of a
   * GPU that does not exist.
   */
  Path dev(Path kernel) {
    Path own = path().resolve("dev");
    return hasGpu(own) ? own : kernel.resolve("dev");
  }

  private static boolean hasGpu(Path dev) {
    try (DirectoryStream<Path> gpus = Files.newDirectoryStream(dev, GPU_NODE)) {
      return gpus.iterator().hasNext();
    } catch (IOException | DirectoryIteratorException e) {
      return false;
    }
  }

  /** The servers in this directory, if the driver has the program for them. */
  public MpsServers mps(Path directory) throws IOException {
    Optional<Path> program = program(SERVERS);
    if (program.isEmpty()) {
      return new NoMps();
    }
    return isSystem()
        ? MpsProcesses.nvidia(directory, path(), inside(program.get()), Optional.empty())
        : MpsProcesses.nvidia(
            directory,
            node().path(),
            onHost(program.get()),
            Optional.of(onHost(library.resolveSibling(""))));
  }

  /** Whether the root also has the C library that the driver's programs need. */
  private boolean isSystem() throws IOException {
    LibraryDirectories usual = LibraryDirectories.ANYWHERE;
    return usual.find(files(), "ld-linux-x86-64.so.2").isPresent()
        || usual.find(files(), "ld-linux-aarch64.so.1").isPresent();
  }

  /** Whether GPUs can be shared through a server. */
  boolean hasServers() throws IOException {
    return program(SERVERS).isPresent();
  }

  /** A program of the driver, such as {@code nvidia-smi}. */
  Optional<Path> program(String name) throws IOException {
    for (String directory : PROGRAMS) {
      Optional<Path> file = resolve(Path.of("/", directory, name)).filter(Files::isExecutable);
      if (file.isPresent()) {
        return file;
      }
    }
    return Optional.empty();
  }

  /** The path of a file in the root as seen from the root, such as {@code /usr/bin/nvidia-smi}. */
  Path inside(Path file) {
    return files().inside(file);
  }

  /** The path on the node of a file in the root. */
  Path onHost(Path file) {
    return host.resolve(path().relativize(file));
  }

  /** Whether a file in the root, by its path on the node, exists. */
  boolean has(Path onHost) {
    return Files.exists(path().resolve(host.relativize(onHost)));
  }

  /** Whether the node has all files that a container is to get, and the programs to run. */
  boolean has(ContainerEdits files) {
    return files.mounts().stream().allMatch(mount -> has(Path.of(mount.hostPath())))
        && files.hooks().stream().allMatch(hook -> runs(Path.of(hook.path())));
  }

  private boolean runs(Path program) {
    try {
      return node().resolve(program).filter(Files::isExecutable).isPresent();
    } catch (IOException e) {
      return false;
    }
  }

  /** The node's own root, in which a container runtime runs. */
  RootFiles node() {
    return search.node();
  }

  /**
   * The file to which a path in the root leads. Links start at this root, not at ours.
   *
   * @param inside the path as seen from the root
   * @return absent when it leads nowhere
   */
  Optional<Path> resolve(Path inside) throws IOException {
    return files().resolve(inside);
  }
}
