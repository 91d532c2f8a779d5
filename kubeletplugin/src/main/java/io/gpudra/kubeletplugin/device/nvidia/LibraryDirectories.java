package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The directories of libraries in a root.
 *
 * @param named the only directory to search, if configured: its path as seen from the root
 */
record LibraryDirectories(Optional<Path> named) {

  /**
   * Directories of Red Hat, Debian, Arch, Talos, NixOS and Bottlerocket. The last standard
   * directory is {@code /lib}, which has 32-bit libraries on some systems.
   */
  private static final ImmutableList<String> USUAL =
      ImmutableList.of(
          "usr/lib64",
          "usr/lib/x86_64-linux-gnu",
          "usr/lib/aarch64-linux-gnu",
          "usr/lib/x86_64-linux-gnu/nvidia/current",
          "usr/lib/aarch64-linux-gnu/nvidia/current",
          "lib64",
          "lib/x86_64-linux-gnu",
          "lib/aarch64-linux-gnu",
          "usr/lib",
          "lib",
          "usr/local/glibc/usr/lib",
          "run/opengl-driver/lib",
          "x86_64-bottlerocket-linux-gnu/sys-root/usr/lib/nvidia/tesla",
          "aarch64-bottlerocket-linux-gnu/sys-root/usr/lib/nvidia/tesla");

  /** The limit; a directory of a system has a few thousand entries. */
  private static final long MAX_ENTRIES = 50_000;

  private static final Path CACHE = Path.of("/etc/ld.so.cache");

  /** The usual directories. */
  static final LibraryDirectories ANYWHERE = new LibraryDirectories(Optional.empty());

  /** The paths as seen from the root. */
  ImmutableList<Path> all() {
    return named
        .map(ImmutableList::of)
        .orElseGet(
            () ->
                USUAL.stream().map(Path.of("/")::resolve).collect(ImmutableList.toImmutableList()));
  }

  /**
   * The file of a library for this kind of machine. The linker's cache is read last, since it need
   * not contain an installed driver.
   */
  Optional<Path> find(RootFiles root, String name) throws IOException {
    for (Path directory : all()) {
      Optional<Path> file = library(root, directory.resolve(name));
      if (file.isPresent() && !ElfHeader.isForeign(file.get())) {
        return file;
      }
    }
    return candidates(root, name).stream().findFirst();
  }

  /** Every file that could be the library, in order of preference. */
  ImmutableSet<Path> candidates(RootFiles root, String name) throws IOException {
    ImmutableSet.Builder<Path> found = ImmutableSet.builder();
    for (Path file : files(root, name)) {
      if (!ElfHeader.isForeign(file)) {
        found.add(file);
      }
    }
    return found.build();
  }

  /** A library of this name that is for another kind of machine. */
  Optional<Path> foreign(RootFiles root, String name) throws IOException {
    for (Path file : files(root, name)) {
      if (ElfHeader.isForeign(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  private ImmutableSet<Path> files(RootFiles root, String name) throws IOException {
    ImmutableSet.Builder<Path> found = ImmutableSet.builder();
    for (Path directory : all()) {
      library(root, directory.resolve(name)).ifPresent(found::add);
    }
    Optional<Path> known = cache(root).file(name);
    if (known.isPresent()) {
      library(root, known.get()).ifPresent(found::add);
    }
    return found.build();
  }

  private static Optional<Path> library(RootFiles root, Path inside) throws IOException {
    return root.resolve(inside).filter(Files::isRegularFile);
  }

  /** The cache of the root's linker; empty when it is unreadable or has another format. */
  LinkerCache cache(RootFiles root) throws IOException {
    Optional<Path> file = named.isPresent() ? Optional.empty() : root.resolve(CACHE);
    return file.isPresent() ? LinkerCache.orNone(file.get()) : LinkerCache.NONE;
  }

  /**
   * The files of a directory.
   *
   * @throws IOException when it cannot be read, or has more files than any library directory
   */
  static ImmutableList<Path> list(Path directory) throws IOException {
    return list(directory, MAX_ENTRIES);
  }

  static ImmutableList<Path> list(Path directory, long most) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      ImmutableList<Path> all =
          entries.limit(most + 1).sorted().collect(ImmutableList.toImmutableList());
      if (all.size() > most) {
        throw new IOException(
            "%s has more than %d entries; name the directory of the driver's libraries with"
                    .formatted(directory, most)
                + " --driver-libraries");
      }
      return all;
    }
  }
}
