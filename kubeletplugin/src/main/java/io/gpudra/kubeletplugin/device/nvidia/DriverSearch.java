package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Searches a node for a driver (nvidia.md 3.3).
 *
 * @param node the node's own root
 * @param roots their paths on the node; the first that has a driver is chosen
 * @param libraries the directory of its libraries, if configured: its path on the node, or in the
 *     driver's root
 */
record DriverSearch(RootFiles node, ImmutableList<Path> roots, Optional<Path> libraries) {

  /** The roots of a driver container, of the node, and of Google's system. */
  static final ImmutableList<Path> USUAL =
      ImmutableList.of(
          Path.of("/run/nvidia/driver"), Path.of("/"), Path.of("/home/kubernetes/bin/nvidia"));

  /** The management library. */
  static final String LIBRARY = "libnvidia-ml.so.1";

  private static final Path WSL = Path.of("/usr/lib/wsl/lib");

  /**
   * The first driver that exists.
   *
   * @throws IOException naming each place without a driver, and the remedy
   */
  DriverRoot find() throws IOException {
    for (Path root : roots) {
      Optional<DriverRoot> found = in(root);
      if (found.isPresent()) {
        return found.get();
      }
    }
    throw new IOException(notFound());
  }

  /** The driver of one of the roots. */
  Optional<DriverRoot> in(Path root) throws IOException {
    Optional<RootFiles> files = files(root);
    if (files.isEmpty()) {
      return Optional.empty();
    }
    Path host = node.inside(files.get().path());
    return directories(root)
        .find(files.get(), LIBRARY)
        .map(library -> new DriverRoot(this, root, host, library));
  }

  private Optional<RootFiles> files(Path root) throws IOException {
    return node.resolve(root).filter(Files::isDirectory).map(RootFiles::new);
  }

  /** The directories of the libraries below one of the roots. */
  LibraryDirectories directories(Path root) {
    return new LibraryDirectories(
        libraries.map(
            named ->
                named.startsWith(root)
                    ? Path.of("/").resolve(root.relativize(named))
                    : Path.of("/").resolve(named)));
  }

  /** The management libraries of drivers other than the chosen one, by their paths on the node. */
  ImmutableSet<Path> others(Path taken) throws IOException {
    ImmutableSet.Builder<Path> others = ImmutableSet.builder();
    for (Path root : roots) {
      Optional<RootFiles> files = files(root);
      if (files.isPresent()) {
        directories(root).candidates(files.get(), LIBRARY).stream()
            .filter(file -> !file.getFileName().equals(taken.getFileName()))
            .map(node::inside)
            .forEach(others::add);
      }
    }
    return others.build();
  }

  private String notFound() throws IOException {
    StringBuilder hints = new StringBuilder();
    for (Path root : roots) {
      hint(root).ifPresent(hint -> hints.append(" (").append(hint).append(')'));
    }
    if (node.resolve(WSL).isPresent()) {
      hints.append(" (GPUs of WSL have no device nodes and cannot be served)");
    }
    return ("no NVIDIA driver: %s is in none of %s below %s%s%s; install the driver, or say with"
            + " --driver-root where it is and with --driver-libraries in which directory its"
            + " libraries are")
        .formatted(
            LIBRARY,
            directories(Path.of("/")).all().stream()
                .map(directory -> Path.of("/").relativize(directory).toString())
                .collect(Collectors.joining(", ")),
            roots.stream().map(Path::toString).collect(Collectors.joining(", ")),
            libraries.isPresent() ? "" : ", nor in the etc/ld.so.cache there",
            hints);
  }

  private Optional<String> hint(Path root) throws IOException {
    Path place = node.outside(root);
    Optional<RootFiles> files = files(root);
    if (files.isPresent()) {
      return directories(root)
          .foreign(files.get(), LIBRARY)
          .map(file -> "%s is for another kind of machine".formatted(node.inside(file)));
    }
    return Files.isSymbolicLink(place)
        ? Optional.of(
            "%s is a link to %s, which is not there".formatted(root, Files.readSymbolicLink(place)))
        : Optional.empty();
  }
}
