package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of the driver that a container needs to run CUDA: libraries, programs and the sockets
 * of its daemons (nvidia.md 3.1, 3.2).
 *
 * <p>With the container toolkit, each file has the path that it has on the node, and hooks of the
 * toolkit inform the container's linker. Without it, every library is mounted under the name by
 * which programs load it, in directories that linkers search.
 *
 * @param version of the driver: libraries of another version would not work
 * @param toolkit of the node
 */
record DriverFiles(DriverRoot root, String version, Optional<ContainerToolkit> toolkit) {

  private static final Logger log = LoggerFactory.getLogger(DriverFiles.class);

  private static final ImmutableList<String> PROGRAMS =
      ImmutableList.of(
          "nvidia-smi",
          "nvidia-debugdump",
          "nvidia-persistenced",
          "nvidia-cuda-mps-control",
          "nvidia-cuda-mps-server");

  private static final ImmutableList<String> SOCKETS =
      ImmutableList.of("/run/nvidia-persistenced/socket", "/run/nvidia-fabricmanager/socket");

  private static final Path FIRMWARE = Path.of("/lib/firmware/nvidia");

  /** The files, with the container toolkit of the node, if any. */
  static DriverFiles of(DriverRoot root, String version) throws IOException {
    return new DriverFiles(root, version, ContainerToolkit.find(root.node()));
  }

  /** The edits for a driver that was just found. */
  ContainerEdits edits() throws IOException {
    LibraryEdits libraries =
        new LibraryEdits(root, version, new DriverLibraries(root, version).all());
    log.info(
        "driver files root={} version={} libraries={} by={}",
        root.path(),
        version,
        libraries.libraries().size(),
        toolkit.map(found -> found.program().toString()).orElse("mounts alone"));
    ImmutableSet<Path> others = root.others();
    if (!others.isEmpty()) {
      log.warn("ignoring other drivers taken={} others={}", root.library(), others);
    }
    return toolkit
        .map(libraries::withHooks)
        .orElseGet(libraries::byName)
        .plus(ContainerEdits.mounts(others()))
        .plus(ContainerEdits.mounts(new DriverConfigs(root).mounts()))
        .plus(ContainerEdits.environment(ImmutableMap.of("NVIDIA_VISIBLE_DEVICES", "void")));
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
    for (Path file : firmware()) {
      String name = String.valueOf(file.getFileName());
      mounts.add(mount(file, FIRMWARE.resolve(version).resolve(name)));
    }
    return mounts.build();
  }

  private ImmutableList<Path> firmware() throws IOException {
    Optional<Path> directory = root.resolve(FIRMWARE.resolve(version)).filter(Files::isDirectory);
    return directory.isEmpty()
        ? ImmutableList.of()
        : LibraryDirectories.list(directory.get()).stream()
            .filter(file -> file.getFileName().toString().matches("gsp.*\\.bin"))
            .collect(ImmutableList.toImmutableList());
  }

  private Mount mount(Path file, Path container) {
    return Mount.readOnly(root.onHost(file).toString(), container.toString());
  }

  /**
   * Files by which the loaders of OpenCL, Vulkan, EGL and OptiX in a container find the driver.
   * They are read from the standard places, also if the driver's files are elsewhere.
   */
  private record DriverConfigs(DriverRoot root) {

    private static final Path ETC = Path.of("/etc");
    private static final Path SHARE = Path.of("/usr/share");

    /** The directories; the last is NixOS's. */
    private static final ImmutableList<Path> DIRECTORIES =
        ImmutableList.of(
            ETC, Path.of("/usr/local/share"), SHARE, Path.of("/run/opengl-driver/share"));

    /** The directories of Vulkan; Google's system has it in the driver's root itself. */
    private static final ImmutableList<Path> DIRECTORIES_OF_VULKAN =
        ImmutableList.<Path>builder().addAll(DIRECTORIES).add(Path.of("/")).build();

    private static final ImmutableList<String> OPENCL =
        ImmutableList.of("OpenCL/vendors/nvidia.icd");

    private static final ImmutableList<String> VULKAN =
        ImmutableList.of(
            "vulkan/icd.d/nvidia_icd.json",
            "vulkan/icd.d/nvidia_layers.json",
            "vulkan/implicit_layer.d/nvidia_layers.json",
            "vulkan/icd.d/nvidia_icd.x86_64.json",
            "vulkan/icd.d/nvidia_icd.aarch64.json");

    private static final ImmutableList<String> SHARED =
        ImmutableList.of(
            "glvnd/egl_vendor.d/10_nvidia.json",
            "egl/egl_external_platform.d/09_nvidia_wayland2.json",
            "egl/egl_external_platform.d/10_nvidia_wayland.json",
            "egl/egl_external_platform.d/15_nvidia_gbm.json",
            "egl/egl_external_platform.d/20_nvidia_xcb.json",
            "egl/egl_external_platform.d/20_nvidia_xlib.json",
            "nvidia/nvoptix.bin");

    ImmutableSet<Mount> mounts() throws IOException {
      ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
      for (String name : OPENCL) {
        mount(name, DIRECTORIES, ETC).ifPresent(mounts::add);
      }
      for (String name : VULKAN) {
        mount(name, DIRECTORIES_OF_VULKAN, ETC).ifPresent(mounts::add);
      }
      for (String name : SHARED) {
        mount(name, DIRECTORIES, SHARE).ifPresent(mounts::add);
      }
      return mounts.build();
    }

    private Optional<Mount> mount(String name, ImmutableList<Path> directories, Path container)
        throws IOException {
      for (Path directory : directories) {
        Optional<Path> file = root.resolve(directory.resolve(name)).filter(Files::isRegularFile);
        if (file.isPresent()) {
          return file.map(
              found ->
                  Mount.readOnly(
                      root.onHost(found).toString(), container.resolve(name).toString()));
        }
      }
      return Optional.empty();
    }
  }
}
