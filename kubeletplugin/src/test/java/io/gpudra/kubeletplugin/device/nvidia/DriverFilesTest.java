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
import org.junit.jupiter.api.Test;

class DriverFilesTest extends InstalledDriver {

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
    assertThat(DriverRoot.find(Optional.of(Path.of("/driver")), Optional.empty(), node).has(edits))
        .isFalse();
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
