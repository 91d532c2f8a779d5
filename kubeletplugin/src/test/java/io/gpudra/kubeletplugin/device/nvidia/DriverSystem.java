package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The root directory of a system with a driver as a distribution installs it: names, links and
 * library names (SONAME) are those of NVIDIA's, what is in the files is not.
 *
 * @param driver the driver's root as the system calls it
 * @param libraries where most libraries are, as the driver's root calls it
 * @param cuda where those are that programs for CUDA load
 */
record DriverSystem(Path root, String driver, String libraries, String cuda) {

  static final String VERSION = "550.54.15";

  /** Those with a library name of their own. */
  private static final ImmutableMap<String, String> CUDA =
      ImmutableMap.<String, String>builder()
          .put("libcuda", "1")
          .put("libcudadebugger", "1")
          .put("libnvcuvid", "1")
          .put("libnvidia-encode", "1")
          .put("libnvidia-ml", "1")
          .put("libnvidia-nvvm", "4")
          .put("libnvidia-opencl", "1")
          .put("libnvidia-opticalflow", "1")
          .put("libnvidia-ptxjitcompiler", "1")
          .buildOrThrow();

  private static final ImmutableMap<String, String> GRAPHICS =
      ImmutableMap.<String, String>builder()
          .put("libEGL_nvidia", "0")
          .put("libGLESv2_nvidia", "2")
          .put("libGLX_nvidia", "0")
          .put("libnvidia-allocator", "1")
          .put("libnvidia-cfg", "1")
          .put("libnvidia-fbc", "1")
          .put("libnvidia-ngx", "1")
          .put("libnvoptix", "1")
          .put("vdpau/libvdpau_nvidia", "1")
          .buildOrThrow();

  /** Their only name has the driver's version. */
  private static final ImmutableList<String> VERSIONED =
      ImmutableList.of(
          "libnvidia-eglcore",
          "libnvidia-glcore",
          "libnvidia-glsi",
          "libnvidia-glvkspirv",
          "libnvidia-gpucomp",
          "libnvidia-rtcore",
          "libnvidia-tls",
          "libnvidia-vulkan-producer");

  private static final ImmutableMap<String, String> EGL_PLATFORMS =
      ImmutableMap.of(
          "libnvidia-egl-gbm", "1.1.1",
          "libnvidia-egl-wayland", "1.1.13",
          "libnvidia-egl-xcb", "1.0.0");

  private static final ImmutableList<String> PROGRAMS =
      ImmutableList.of(
          "nvidia-smi",
          "nvidia-debugdump",
          "nvidia-persistenced",
          "nvidia-cuda-mps-control",
          "nvidia-cuda-mps-server",
          "nvidia-imex",
          "nvidia-xconfig");

  private static final ImmutableList<String> FILES =
      ImmutableList.of(
          "etc/OpenCL/vendors/nvidia.icd",
          "usr/share/glvnd/egl_vendor.d/10_nvidia.json",
          "usr/share/egl/egl_external_platform.d/10_nvidia_wayland.json",
          "usr/share/egl/egl_external_platform.d/15_nvidia_gbm.json",
          "usr/share/egl/egl_external_platform.d/20_nvidia_xcb.json",
          "usr/share/nvidia/nvoptix.bin",
          "usr/share/X11/xorg.conf.d/10-nvidia.conf",
          "usr/lib/firmware/nvidia/" + VERSION + "/gsp_ga10x.bin",
          "usr/lib/firmware/nvidia/" + VERSION + "/gsp_tu10x.bin");

  /** Of a system of which {@code lib} is {@code usr/lib}, as it is on all of today. */
  void install(String vulkan) throws IOException {
    Path usr = Files.createDirectories(root.resolve("usr/lib")).resolveSibling("");
    Files.createSymbolicLink(root.resolve("lib"), Path.of("usr/lib"));
    Files.createDirectories(root.resolve("etc"));
    for (String name : PROGRAMS) {
      executable(in("usr/bin/" + name));
    }
    Files.createDirectories(usr.resolve("bin"));
    for (String file : FILES) {
      file(in(file));
    }
    file(in(vulkan));
    addLibraries();
  }

  private Path in(String inside) {
    return root.resolve(Path.of("/").relativize(Path.of(driver, inside)));
  }

  private static void file(Path file) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, "of the driver\n");
  }

  private static void executable(Path file) throws IOException {
    file(file);
    if (!file.toFile().setExecutable(true)) {
      throw new IOException(file.toString());
    }
  }

  private void addLibraries() throws IOException {
    for (String name : CUDA.keySet()) {
      library(in(cuda), name, VERSION, CUDA.get(name));
    }
    for (String name : GRAPHICS.keySet()) {
      library(in(libraries), name, VERSION, GRAPHICS.get(name));
    }
    for (String name : VERSIONED) {
      compile(in(libraries), name + ".so." + VERSION, name + ".so." + VERSION);
    }
    for (String name : EGL_PLATFORMS.keySet()) {
      library(in(libraries), name, EGL_PLATFORMS.get(name), "1");
    }
    compile(in(libraries), "libc.so.6", "libc.so.6");
  }

  /** One with its links. */
  static void library(Path directory, String name, String version, String number)
      throws IOException {
    String file = name + ".so." + version;
    compile(directory, file, Path.of(name).getFileName() + ".so." + number);
    Path link = directory.resolve(name + ".so." + number);
    Files.createSymbolicLink(link, directory.resolve(file).getFileName());
    Files.createSymbolicLink(directory.resolve(name + ".so"), link.getFileName());
  }

  private static void compile(Path directory, String file, String name) throws IOException {
    Path made = directory.resolve(file);
    Files.createDirectories(made.resolveSibling(""));
    run(
        "cc",
        "-shared",
        "-nostdlib",
        "-Wl,-soname," + name,
        "-o",
        made.toString(),
        "-xc",
        "/dev/null");
  }

  /** What the linker of the system knows of its directories and of others. */
  void runLinker(String... directories) throws IOException {
    ImmutableList.Builder<String> command = ImmutableList.builder();
    command.add("ldconfig", "-X", "-f", "/etc/ld.so.conf", "-r", root.toString());
    Files.write(root.resolve("etc/ld.so.conf"), ImmutableList.copyOf(directories));
    run(command.build().toArray(String[]::new));
  }

  /** What a container sees that has the root directory. */
  static void mount(Mount mount, RootFiles node, Path container) throws IOException {
    Path to = new RootFiles(container).outside(Path.of(mount.containerPath()));
    Files.createDirectories(to.resolveSibling(""));
    Files.copy(node.outside(Path.of(mount.hostPath())), to);
  }

  static void run(String... command) throws IOException {
    DriverProgram.Result result =
        new DriverProgram(ImmutableList.copyOf(command), ImmutableMap.of())
            .run("", Duration.ofMinutes(5));
    if (result.status() != 0) {
      throw new IOException(String.join(" ", command) + ": " + result.words());
    }
  }
}
