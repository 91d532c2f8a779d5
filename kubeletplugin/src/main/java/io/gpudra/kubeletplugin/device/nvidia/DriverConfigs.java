package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Files by which the loaders of OpenCL, Vulkan, EGL and OptiX in a container find the driver. They
 * are read from the standard places, also if the driver's files are elsewhere.
 */
record DriverConfigs(DriverRoot root) {

  private static final Path ETC = Path.of("/etc");
  private static final Path SHARE = Path.of("/usr/share");

  /** The directories; the last is NixOS's. */
  private static final ImmutableList<Path> DIRECTORIES =
      ImmutableList.of(
          ETC, Path.of("/usr/local/share"), SHARE, Path.of("/run/opengl-driver/share"));

  /** The directories of Vulkan; Google's system has it in the driver's root itself. */
  private static final ImmutableList<Path> DIRECTORIES_OF_VULKAN =
      ImmutableList.<Path>builder().addAll(DIRECTORIES).add(Path.of("/")).build();

  private static final ImmutableList<String> OPENCL = ImmutableList.of("OpenCL/vendors/nvidia.icd");

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
                Mount.readOnly(root.onHost(found).toString(), container.resolve(name).toString()));
      }
    }
    return Optional.empty();
  }
}
