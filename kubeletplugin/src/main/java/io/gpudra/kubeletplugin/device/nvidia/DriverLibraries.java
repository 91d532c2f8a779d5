package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The libraries of one version of the driver: those beside the management library and in the other
 * directories of the root, plus those in the linker's cache.
 *
 * @param version of the driver: libraries of another version would not work
 */
record DriverLibraries(DriverRoot root, String version) {

  private static final Logger log = LoggerFactory.getLogger(DriverLibraries.class);

  /** The library without which no program runs CUDA. */
  static final String CUDA = "libcuda.so.1";

  /** Libraries of the driver that have versions of their own. */
  private static final Pattern EGL_PLATFORM =
      Pattern.compile("libnvidia-egl-(gbm|wayland2?|xcb|xlib)\\.so\\.\\d+\\.\\d.*");

  /** Such as {@code libnvidia-ml.so.535.261.03}, but not {@code libnvidia-container.so.1.17.8}. */
  private static final Pattern OF_A_DRIVER =
      Pattern.compile("lib.*\\.so\\.\\d{3,}\\.\\d+(\\.\\d+)?");

  /** Libraries that a program loads from a directory of this name beside the others. */
  private static final String VDPAU = "vdpau";

  private static final int MAX_REPORTED = 5;

  /**
   * Files by the names under which programs load them; those without a version are for compilers.
   *
   * @throws IOException when a required library is missing
   */
  ImmutableSortedMap<String, Path> all() throws IOException {
    Map<String, Path> found = new TreeMap<>();
    ImmutableSortedMap<String, Path> linked = root.cache().files();
    ImmutableSet<Path> directories = directories(linked.values());
    for (Path directory : directories) {
      for (Path file : LibraryDirectories.list(directory)) {
        if (Files.isSymbolicLink(file) || belongs(file)) {
          put(String.valueOf(file.getFileName()), root.inside(file), found);
        }
      }
    }
    for (Map.Entry<String, Path> known : linked.entrySet()) {
      put(known.getKey(), known.getValue(), found);
    }
    ImmutableList<String> misfits = misfits();
    requireCuda(found, directories, misfits);
    if (!misfits.isEmpty()) {
      log.warn(
          "ignoring libraries of another driver version={} libraries={} remedy=\"install the"
              + " driver anew, or restart the node\"",
          version,
          misfits);
    }
    return ImmutableSortedMap.copyOf(found);
  }

  private void put(String name, Path inside, Map<String, Path> found) throws IOException {
    if (name.contains(".so.")) {
      Optional<Path> file = root.resolve(inside).filter(this::belongs);
      if (file.isPresent() && !ElfHeader.isForeign(file.get())) {
        boolean apart = file.get().resolveSibling("").endsWith(VDPAU);
        found.putIfAbsent(apart ? VDPAU + "/" + name : name, file.get());
      }
    }
  }

  private boolean belongs(Path file) {
    String name = String.valueOf(file.getFileName());
    return isOfDriver(name) || EGL_PLATFORM.matcher(name).matches();
  }

  private boolean isOfDriver(String name) {
    return name.endsWith(".so." + version);
  }

  /** The directories as this process sees them, each once, the management library's first. */
  private ImmutableSet<Path> directories(Iterable<Path> linked) throws IOException {
    ImmutableSet.Builder<Path> all = ImmutableSet.builder();
    all.add(root.library().resolveSibling(""));
    for (Path usual : root.directories().all()) {
      root.resolve(usual).ifPresent(all::add);
    }
    for (Path known : linked) {
      root.resolve(known)
          .filter(this::belongs)
          .map(file -> file.resolveSibling(""))
          .ifPresent(all::add);
    }
    return all.build().stream()
        .flatMap(directory -> Stream.of(directory, directory.resolve(VDPAU)))
        .filter(Files::isDirectory)
        .collect(toImmutableSet());
  }

  /** Names beside the management library that lead to another driver's files. */
  ImmutableList<String> misfits() throws IOException {
    ImmutableList.Builder<String> misfits = ImmutableList.builder();
    for (Path link : LibraryDirectories.list(root.library().resolveSibling(""))) {
      if (Files.isSymbolicLink(link)) {
        String target = String.valueOf(Files.readSymbolicLink(link).getFileName());
        if (OF_A_DRIVER.matcher(target).matches() && !isOfDriver(target)) {
          misfits.add("%s -> %s".formatted(link.getFileName(), target));
        }
      }
    }
    return misfits.build().stream().limit(MAX_REPORTED).collect(toImmutableList());
  }

  private void requireCuda(
      Map<String, Path> found, ImmutableSet<Path> directories, ImmutableList<String> misfits)
      throws IOException {
    if (!found.containsKey(CUDA)) {
      throw new IOException(
          ("%s has no %s of driver %s in %s%s; was the driver replaced without a restart of the node?"
                  + " --driver-libraries says in which directory its libraries are")
              .formatted(
                  root.path(),
                  CUDA,
                  version,
                  directories,
                  misfits.isEmpty() ? "" : ", which have " + String.join(", ", misfits)));
    }
  }
}
