package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverFilesTest {

  private static final String VERSION = "550.54.15";

  @TempDir Path node = Path.of("");

  private Path root = Path.of("");

  @BeforeEach
  void install() throws IOException {
    root = node.resolve("driver");
    for (String name : ImmutableList.of("libcuda", "libnvidia-ml")) {
      library(name + ".so." + VERSION);
      Files.createSymbolicLink(
          root.resolve("usr/lib64").resolve(name + ".so.1"), Path.of(name + ".so." + VERSION));
    }
  }

  private void library(String name) throws IOException {
    Path file = root.resolve("usr/lib64").resolve(name);
    Files.createDirectories(file.resolveSibling(""));
    Files.createFile(file);
  }

  private static final ContainerToolkit OLD =
      new ContainerToolkit(
          Path.of("/usr/bin/nvidia-ctk"), ImmutableList.of("hook"), ImmutableSet.of());

  private ContainerEdits edits(Optional<ContainerToolkit> toolkit) throws IOException {
    return new DriverFiles(found(), VERSION, toolkit).edits();
  }

  private DriverRoot found() throws IOException {
    return DriverRoot.find(Optional.of(Path.of("/driver")), node);
  }

  private ContainerEdits edits() throws IOException {
    return edits(Optional.empty());
  }

  private ContainerEdits withHooks() throws IOException {
    return edits(Optional.of(OLD));
  }

  private static void program(Path file) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    assertThat(Files.createFile(file).toFile().setExecutable(true)).isTrue();
  }

  private static ImmutableList<String> directories() {
    return ImmutableList.of(
        "/usr/local/nvidia/lib64/", "/usr/lib/%s/".formatted(Elf.multiarch()), "/usr/lib64/");
  }

  private static ImmutableSet<Mount> everywhere(String... namesAndFiles) {
    ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
    for (String directory : directories()) {
      for (int i = 0; i < namesAndFiles.length; i += 2) {
        mounts.add(file("usr/lib64/" + namesAndFiles[i + 1], directory + namesAndFiles[i]));
      }
    }
    return mounts.build();
  }

  private static ImmutableList<String> links(ContainerEdits edits) {
    return edits.hooks().get(0).arguments().stream()
        .filter(argument -> argument.contains("::"))
        .collect(ImmutableList.toImmutableList());
  }

  private static Mount file(String host, String container) {
    return Mount.readOnly("/driver/" + host, container);
  }

  /** Images for CUDA have a variable for the first place; the others are known to linkers. */
  @Test
  void withoutTheToolkitLibrariesAreMountedByTheirNamesWhereLinkersLook() throws IOException {
    library("libother.so.1.2");
    Files.createSymbolicLink(root.resolve("usr/lib64/libother.so.1"), Path.of("libother.so.1.2"));
    program(root.resolve("usr/bin/nvidia-smi"));
    Files.createDirectories(root.resolve("run/nvidia-persistenced"));
    Files.createFile(root.resolve("run/nvidia-persistenced/socket"));

    String cuda = "libcuda.so." + VERSION;
    String management = "libnvidia-ml.so." + VERSION;
    assertThat(edits().mounts())
        .containsExactlyInAnyOrderElementsOf(
            ImmutableList.<Mount>builder()
                .addAll(
                    everywhere(
                        "libcuda.so",
                        cuda,
                        "libcuda.so.1",
                        cuda,
                        cuda,
                        cuda,
                        "libnvidia-ml.so.1",
                        management,
                        management,
                        management))
                .add(file("usr/bin/nvidia-smi", "/usr/bin/nvidia-smi"))
                .add(
                    Mount.socket(
                        "/driver/run/nvidia-persistenced/socket",
                        "/run/nvidia-persistenced/socket"))
                .build());
    assertThat(edits().hooks()).isEmpty();
    assertThat(edits().environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void").hasSize(1);
  }

  @Test
  void withTheToolkitItsHooksTellTheLinker() throws IOException {
    String cuda = "/usr/lib64/libcuda.so";

    assertThat(withHooks().mounts())
        .contains(file("usr/lib64/libcuda.so." + VERSION, cuda + "." + VERSION));
    assertThat(withHooks().hooks())
        .containsExactly(
            new Hook(
                "/usr/bin/nvidia-ctk",
                ImmutableList.of(
                    "hook",
                    "create-symlinks",
                    "--link",
                    "libcuda.so." + VERSION + "::" + cuda + ".1",
                    "--link",
                    "libcuda.so.1::" + cuda,
                    "--link",
                    "libnvidia-ml.so." + VERSION + "::/usr/lib64/libnvidia-ml.so.1")),
            new Hook(
                "/usr/bin/nvidia-ctk",
                ImmutableList.of("hook", "update-ldcache", "--folder", "/usr/lib64")));
  }

  @Test
  void hooksThatTheToolkitKnowsAreAddedWhereTheyMustRun() throws IOException {
    ContainerToolkit today =
        new ContainerToolkit(
            Path.of("/usr/bin/nvidia-cdi-hook"),
            ImmutableList.of(),
            ImmutableSet.of("enable-cuda-compat", "disable-device-node-modification"));

    assertThat(edits(Optional.of(today)).hooks())
        .extracting(hook -> String.join(" ", hook.arguments()))
        .satisfiesExactly(
            links -> assertThat(links).startsWith("create-symlinks --link "),
            compat ->
                assertThat(compat).isEqualTo("enable-cuda-compat --host-driver-version=" + VERSION),
            cache -> assertThat(cache).startsWith("update-ldcache --folder "),
            nodes -> assertThat(nodes).isEqualTo("disable-device-node-modification"));
  }

  /** Also the names for compilers, and libraries whose only name is that of their file. */
  private void linkerKnows() throws IOException {
    ImmutableList.Builder<LinkerCacheTest.Entry> entries = ImmutableList.builder();
    for (String name :
        ImmutableList.of("libcuda.so.1", "libcuda.so", "libnvidia-ml.so.1", "libnvidia-ml.so")) {
      entries.add(known(name));
    }
    link("libcuda.so", "libcuda.so.1");
    link("libnvidia-ml.so", "libnvidia-ml.so.1");
    for (String own : ImmutableList.of("libnvidia-glcore", "libnvidia-tls")) {
      library(own + ".so." + VERSION);
      entries.add(known(own + ".so." + VERSION));
    }
    library("libGLX_nvidia.so." + VERSION);
    link("libGLX_indirect.so.0", "libGLX_nvidia.so." + VERSION);
    entries.add(known("libGLX_indirect.so.0"));
    library("libc.so.6");
    entries.add(known("libc.so.6"));
    entries.add(
        new LinkerCacheTest.Entry(
            LinkerCacheTest.I386, "libcuda.so.1", "/usr/lib/i386-linux-gnu/libcuda.so.1"));
    Files.write(
        Files.createDirectories(root.resolve("etc")).resolve("ld.so.cache"),
        LinkerCacheTest.cache(entries.build().toArray(new LinkerCacheTest.Entry[0])));
  }

  private void link(String name, String to) throws IOException {
    Files.createSymbolicLink(root.resolve("usr/lib64").resolve(name), Path.of(to));
  }

  private static LinkerCacheTest.Entry known(String name) {
    return new LinkerCacheTest.Entry(LinkerCacheTest.X86_64, name, "/usr/lib64/" + name);
  }

  @Test
  void noHookPutsALinkWhereALibraryIsMountedNorTwoInOnePlace() throws IOException {
    linkerKnows();

    assertThat(withHooks().mounts())
        .containsExactlyInAnyOrder(
            same("libGLX_nvidia"),
            same("libcuda"),
            same("libnvidia-glcore"),
            same("libnvidia-ml"),
            same("libnvidia-tls"));
    assertThat(links(withHooks()))
        .containsExactly(
            "libGLX_nvidia.so." + VERSION + "::/usr/lib64/libGLX_indirect.so.0",
            "libcuda.so." + VERSION + "::/usr/lib64/libcuda.so.1",
            "libcuda.so.1::/usr/lib64/libcuda.so",
            "libnvidia-ml.so." + VERSION + "::/usr/lib64/libnvidia-ml.so.1");
  }

  private static Mount same(String library) {
    String file = "usr/lib64/%s.so.%s".formatted(library, VERSION);
    return file(file, "/" + file);
  }

  /** A driver was unpacked below a root that has the cache of its image. */
  @Test
  void whatTheLinkerDoesNotKnowIsThereAllTheSame() throws IOException {
    Files.write(
        Files.createDirectories(root.resolve("etc")).resolve("ld.so.cache"),
        LinkerCacheTest.cache(known("libc.so.6")));

    assertThat(edits().mounts())
        .contains(file("usr/lib64/libcuda.so." + VERSION, "/usr/lib64/libcuda.so.1"));
  }

  @Test
  void theLinkerAddsDirectories() throws IOException {
    String glcore = "libnvidia-glcore.so." + VERSION;
    Path apart = Files.createDirectories(root.resolve("opt/graphics"));
    Files.createFile(apart.resolve("libGLX_nvidia.so." + VERSION));
    Files.createFile(apart.resolve(glcore));
    Files.write(
        Files.createDirectories(root.resolve("etc")).resolve("ld.so.cache"),
        LinkerCacheTest.cache(
            new LinkerCacheTest.Entry(
                LinkerCacheTest.X86_64,
                "libGLX_nvidia.so.0",
                "/opt/graphics/libGLX_nvidia.so." + VERSION)));

    assertThat(edits().mounts())
        .contains(
            file("opt/graphics/libGLX_nvidia.so." + VERSION, "/usr/lib64/libGLX_nvidia.so.0"),
            file("opt/graphics/libGLX_nvidia.so." + VERSION, "/usr/lib64/libGLX_indirect.so.0"),
            file("opt/graphics/" + glcore, "/usr/lib64/" + glcore));
  }

  @Test
  void aDamagedCacheHidesNothing() throws IOException {
    Files.writeString(
        Files.createDirectories(root.resolve("etc")).resolve("ld.so.cache"), "damaged");

    assertThat(edits().mounts()).isNotEmpty();
  }

  @Test
  void librariesForGraphicsHaveTheNamesThatTheirLoadersLookFor() throws IOException {
    for (String own : ImmutableList.of("libnvidia-allocator", "libnvidia-vulkan-producer")) {
      library(own + ".so." + VERSION);
    }
    link("libnvidia-allocator.so.1", "libnvidia-allocator.so." + VERSION);
    library("libnvidia-egl-gbm.so.1.1.1");
    link("libnvidia-egl-gbm.so.1", "libnvidia-egl-gbm.so.1.1.1");
    library("vdpau/libvdpau_nvidia.so." + VERSION);
    link("vdpau/libvdpau_nvidia.so.1", "libvdpau_nvidia.so." + VERSION);

    assertThat(links(withHooks()))
        .contains(
            "../libnvidia-allocator.so.1::/usr/lib64/gbm/nvidia-drm_gbm.so",
            "libnvidia-vulkan-producer.so.%s::/usr/lib64/libnvidia-vulkan-producer.so"
                .formatted(VERSION),
            "libnvidia-egl-gbm.so.1.1.1::/usr/lib64/libnvidia-egl-gbm.so.1",
            "libvdpau_nvidia.so.%s::/usr/lib64/vdpau/libvdpau_nvidia.so.1".formatted(VERSION));
    assertThat(edits().mounts())
        .containsAll(
            everywhere(
                "gbm/nvidia-drm_gbm.so", "libnvidia-allocator.so." + VERSION,
                "libnvidia-vulkan-producer.so", "libnvidia-vulkan-producer.so." + VERSION,
                "libnvidia-egl-gbm.so.1", "libnvidia-egl-gbm.so.1.1.1",
                "vdpau/libvdpau_nvidia.so.1", "vdpau/libvdpau_nvidia.so." + VERSION));
  }

  @Test
  void loadersOfGraphicsAreToldOfTheDriverWhereTheyLook() throws IOException {
    for (String name :
        ImmutableList.of(
            "etc/OpenCL/vendors/nvidia.icd",
            "usr/share/vulkan/icd.d/nvidia_icd.x86_64.json",
            "vulkan/icd.d/nvidia_layers.json",
            "usr/share/glvnd/egl_vendor.d/10_nvidia.json",
            "run/opengl-driver/share/nvidia/nvoptix.bin",
            "usr/share/vulkan/icd.d/other_icd.json")) {
      Files.createDirectories(root.resolve(name).resolveSibling(""));
      Files.createFile(root.resolve(name));
    }

    assertThat(edits().mounts())
        .filteredOn(mount -> !mount.containerPath().contains("lib"))
        .containsExactlyInAnyOrder(
            file("etc/OpenCL/vendors/nvidia.icd", "/etc/OpenCL/vendors/nvidia.icd"),
            file(
                "usr/share/vulkan/icd.d/nvidia_icd.x86_64.json",
                "/etc/vulkan/icd.d/nvidia_icd.x86_64.json"),
            file("vulkan/icd.d/nvidia_layers.json", "/etc/vulkan/icd.d/nvidia_layers.json"),
            file(
                "usr/share/glvnd/egl_vendor.d/10_nvidia.json",
                "/usr/share/glvnd/egl_vendor.d/10_nvidia.json"),
            file("run/opengl-driver/share/nvidia/nvoptix.bin", "/usr/share/nvidia/nvoptix.bin"));
  }

  @Test
  void aLibraryWithoutAnotherNameComesAlongWhereThereIsNoLinker() throws IOException {
    library("libnvidia-tls.so." + VERSION);

    assertThat(edits().mounts())
        .contains(
            file(
                "usr/lib64/libnvidia-tls.so." + VERSION,
                "/usr/local/nvidia/lib64/libnvidia-tls.so." + VERSION));
  }

  @Test
  void theToolkitIsThatOfTheNodeWhereverTheDriverIs() throws IOException {
    ContainerToolkitTest.compile(root.resolve("usr/bin/nvidia-ctk"), ContainerToolkitTest.HOOKS);
    assertThat(DriverFiles.of(found(), VERSION).toolkit()).as("the node has none").isEmpty();

    ContainerToolkitTest.compile(node.resolve("usr/bin/nvidia-ctk"), ContainerToolkitTest.HOOKS);
    assertThat(DriverFiles.of(found(), VERSION).toolkit())
        .map(ContainerToolkit::program)
        .contains(Path.of("/usr/bin/nvidia-ctk"));
  }

  @Test
  void aToolkitThatIsRemovedIsNotRunAnyMore() throws IOException {
    program(node.resolve("usr/bin/nvidia-ctk"));
    ContainerEdits edits = withHooks();
    assertThat(found().has(edits)).isTrue();

    Files.delete(node.resolve("usr/bin/nvidia-ctk"));
    assertThat(found().has(edits)).isFalse();
    assertThat(found().has(edits())).isTrue();
    Files.delete(root.resolve("usr/lib64/libcuda.so." + VERSION));
    assertThat(DriverRoot.find(Optional.of(Path.of("/driver")), node).has(edits)).isFalse();
  }

  @Test
  void theFirmwareOfTheDriverComesAlong() throws IOException {
    Path firmware = Files.createDirectories(root.resolve("lib/firmware/nvidia/" + VERSION));
    Files.createFile(firmware.resolve("gsp_ga10x.bin"));
    Files.createFile(firmware.resolve("other.bin"));

    assertThat(edits().mounts())
        .contains(
            file(
                "lib/firmware/nvidia/%s/gsp_ga10x.bin".formatted(VERSION),
                "/lib/firmware/nvidia/%s/gsp_ga10x.bin".formatted(VERSION)))
        .noneSatisfy(mount -> assertThat(mount.hostPath()).contains("other"));
  }

  @Test
  void librariesOfAnotherDriverAreNone() throws IOException {
    Files.delete(root.resolve("usr/lib64/libcuda.so.1"));
    library("libcuda.so.535.1.3");
    link("libcuda.so.1", "libcuda.so.535.1.3");

    assertThatThrownBy(this::edits)
        .hasMessage(
            ("%s has no libcuda.so.1 of driver %s in [%s], which have libcuda.so.1 ->"
                    + " libcuda.so.535.1.3; was the driver replaced without a restart of the node?"
                    + " --driver-libraries says in which directory its libraries are")
                .formatted(root, VERSION, root.resolve("usr/lib64")));
  }

  @Test
  void librariesThatWereReplacedInPartAreLeftOutAndTold() throws IOException {
    library("libnvidia-nvvm.so.535.1.3");
    link("libnvidia-nvvm.so.4", "libnvidia-nvvm.so.535.1.3");
    link("libnvidia-cfg.so.1", "libnvidia-cfg.so.535.1.3");
    library("libnvidia-container.so.1.17.8");
    link("libnvidia-container.so.1", "libnvidia-container.so.1.17.8");

    assertThat(withHooks().mounts()).hasSize(2);
    assertThat(new DriverLibraries(found(), VERSION).misfits())
        .containsExactly(
            "libnvidia-cfg.so.1 -> libnvidia-cfg.so.535.1.3",
            "libnvidia-nvvm.so.4 -> libnvidia-nvvm.so.535.1.3");
  }
}
