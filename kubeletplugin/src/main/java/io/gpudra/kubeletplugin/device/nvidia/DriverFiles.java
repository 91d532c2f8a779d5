package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What of the driver a container needs to run CUDA: its libraries, its programs and the sockets of
 * its daemons (nvidia.md 3.1, 3.2).
 *
 * <p>Where the container toolkit is installed, everything is where it is on the node, and hooks of
 * the toolkit tell the container's linker. Where it is not, every library is mounted by the name it
 * is loaded by, in a directory where CUDA images look for it.
 *
 * @param version of the driver: libraries of another one would not work
 */
record DriverFiles(DriverRoot root, String version) {

  private static final Logger log = LoggerFactory.getLogger(DriverFiles.class);

  private static final String TOOL = "nvidia-cdi-hook";

  private static final ImmutableList<String> TOOL_DIRECTORIES =
      ImmutableList.of("/usr/bin", "/usr/local/nvidia/toolkit");

  private static final Path LIBRARIES = Path.of("/usr/local/nvidia/lib64");

  private static final ImmutableList<String> PROGRAMS =
      ImmutableList.of(
          "nvidia-smi",
          "nvidia-debugdump",
          "nvidia-persistenced",
          "nvidia-cuda-mps-control",
          "nvidia-cuda-mps-server");

  private static final ImmutableList<String> SOCKETS =
      ImmutableList.of("/run/nvidia-persistenced/socket", "/run/nvidia-fabricmanager/socket");

  /** Programs load it without a version, too. */
  private static final String CUDA = "libcuda.so.1";

  /** Of a driver that was just found. */
  ContainerEdits edits() throws IOException {
    ImmutableSortedMap<String, Path> libraries = libraries();
    if (!libraries.containsKey(CUDA)) {
      throw new IOException(
          "%s has no %s of driver %s; was the driver replaced without a restart of the node?"
              .formatted(root.path(), CUDA, version));
    }
    Optional<Path> tool = tool();
    log.info(
        "driver files root={} version={} libraries={} by={}",
        root.path(),
        version,
        libraries.size(),
        tool.map(Path::toString).orElse("mounts alone"));
    ContainerEdits linked =
        tool.map(path -> withHooks(path, libraries)).orElseGet(() -> byName(libraries));
    return linked
        .plus(ContainerEdits.mounts(others()))
        .plus(ContainerEdits.environment(ImmutableMap.of("NVIDIA_VISIBLE_DEVICES", "void")));
  }

  /** Files by the names that programs load them by; those without a version are for compilers. */
  private ImmutableSortedMap<String, Path> libraries() throws IOException {
    Map<String, Path> found = new TreeMap<>();
    for (Map.Entry<String, Path> known : known().entrySet()) {
      root.resolve(known.getValue())
          .filter(file -> isOfDriver(file) && !known.getKey().endsWith(".so"))
          .ifPresent(file -> found.put(known.getKey(), file));
    }
    return ImmutableSortedMap.copyOf(found);
  }

  private boolean isOfDriver(Path file) {
    return file.toString().endsWith(".so." + version);
  }

  /** As the linker knows them; where there is no linker, as they lie beside the one we use. */
  private Map<String, Path> known() throws IOException {
    Path cache = root.path().resolve("etc/ld.so.cache");
    return Files.exists(cache) ? LinkerCache.read(cache) : besideOurs();
  }

  private Map<String, Path> besideOurs() throws IOException {
    Map<String, Path> names = new TreeMap<>();
    try (Stream<Path> all = Files.list(root.library().resolveSibling(""))) {
      all.filter(file -> Files.isSymbolicLink(file) || isOfDriver(file))
          .forEach(file -> names.put(file.getFileName().toString(), root.inside(file)));
    }
    return names;
  }

  /** It is the node that runs it, wherever the driver is. */
  private Optional<Path> tool() throws IOException {
    for (String directory : TOOL_DIRECTORIES) {
      Path tool = Path.of(directory, TOOL);
      if (root.ofNode(tool).filter(Files::isExecutable).isPresent()) {
        return Optional.of(tool);
      }
    }
    return Optional.empty();
  }

  private ContainerEdits byName(ImmutableSortedMap<String, Path> libraries) {
    ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
    libraries.forEach((name, file) -> mounts.add(mount(file, LIBRARIES.resolve(name))));
    libraries.entrySet().stream()
        .filter(library -> library.getKey().equals(CUDA))
        .forEach(cuda -> mounts.add(mount(cuda.getValue(), LIBRARIES.resolve("libcuda.so"))));
    return ContainerEdits.mounts(mounts.build());
  }

  private ContainerEdits withHooks(Path tool, ImmutableSortedMap<String, Path> libraries) {
    ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
    ImmutableList.Builder<String> links = ImmutableList.builder();
    ImmutableSet.Builder<String> folders = ImmutableSet.builder();
    libraries.forEach(
        (name, file) -> {
          Path inside = root.inside(file);
          mounts.add(mount(file, inside));
          // In the way of a link to itself is the mount.
          if (!inside.endsWith(name)) {
            links.add(
                "--link", "%s::%s".formatted(file.getFileName(), inside.resolveSibling(name)));
          }
          folders.add(inside.resolveSibling("").toString());
          if (name.equals(CUDA)) {
            links.add("--link", "%s::%s".formatted(CUDA, inside.resolveSibling("libcuda.so")));
          }
        });
    ImmutableList.Builder<String> cache = ImmutableList.builder();
    folders.build().forEach(folder -> cache.add("--folder", folder));
    ContainerEdits hooks =
        new ContainerEdits(
            ImmutableSortedMap.of(),
            ImmutableSet.of(),
            ImmutableSet.of(),
            ImmutableList.of(
                hook(tool, "create-symlinks", links.build()),
                hook(tool, "update-ldcache", cache.build())));
    return ContainerEdits.mounts(mounts.build()).plus(hooks);
  }

  private static Hook hook(Path tool, String command, ImmutableList<String> arguments) {
    return new Hook(
        tool.toString(), ImmutableList.<String>builder().add(command).addAll(arguments).build());
  }

  private ImmutableSet<Mount> others() throws IOException {
    ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
    for (String program : PROGRAMS) {
      root.program(program)
          .ifPresent(file -> mounts.add(mount(file, Path.of("/usr/bin", program))));
    }
    for (String socket : SOCKETS) {
      root.resolve(Path.of(socket))
          .ifPresent(file -> mounts.add(Mount.socket(root.onHost(file).toString(), socket)));
    }
    firmware().forEach(file -> mounts.add(mount(file, root.inside(file))));
    return mounts.build();
  }

  private ImmutableList<Path> firmware() throws IOException {
    Path directory = root.path().resolve("lib/firmware/nvidia").resolve(version);
    if (!Files.isDirectory(directory)) {
      return ImmutableList.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("gsp.*\\.bin"))
          .sorted()
          .collect(ImmutableList.toImmutableList());
    }
  }

  private Mount mount(Path file, Path container) {
    return Mount.readOnly(root.onHost(file).toString(), container.toString());
  }
}
