package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    Files.createFile(Files.createDirectories(root.resolve("usr/lib64")).resolve(name));
  }

  private ContainerEdits edits() throws IOException {
    Path ours = root.resolve("usr/lib64/libnvidia-ml.so.1");
    return new DriverFiles(new DriverRoot(node, Path.of("/driver"), ours), VERSION).edits();
  }

  private static void program(Path file) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    assertThat(Files.createFile(file).toFile().setExecutable(true)).isTrue();
  }

  private static Mount file(String host, String container) {
    return Mount.readOnly("/driver/" + host, container);
  }

  @Test
  void withoutTheToolkitLibrariesAreMountedByTheNameTheyAreLoadedBy() throws IOException {
    library("libother.so.1.2");
    Files.createSymbolicLink(root.resolve("usr/lib64/libother.so.1"), Path.of("libother.so.1.2"));
    program(root.resolve("usr/bin/nvidia-smi"));
    Files.createDirectories(root.resolve("run/nvidia-persistenced"));
    Files.createFile(root.resolve("run/nvidia-persistenced/socket"));

    assertThat(edits().mounts())
        .containsExactlyInAnyOrder(
            file("usr/lib64/libcuda.so." + VERSION, "/usr/local/nvidia/lib64/libcuda.so"),
            file("usr/lib64/libcuda.so." + VERSION, "/usr/local/nvidia/lib64/libcuda.so.1"),
            file(
                "usr/lib64/libcuda.so." + VERSION, "/usr/local/nvidia/lib64/libcuda.so." + VERSION),
            file(
                "usr/lib64/libnvidia-ml.so." + VERSION,
                "/usr/local/nvidia/lib64/libnvidia-ml.so.1"),
            file(
                "usr/lib64/libnvidia-ml.so." + VERSION,
                "/usr/local/nvidia/lib64/libnvidia-ml.so." + VERSION),
            file("usr/bin/nvidia-smi", "/usr/bin/nvidia-smi"),
            Mount.socket(
                "/driver/run/nvidia-persistenced/socket", "/run/nvidia-persistenced/socket"));
    assertThat(edits().hooks()).isEmpty();
    assertThat(edits().environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void").hasSize(1);
  }

  @Test
  void withTheToolkitItsHooksTellTheLinker() throws IOException {
    program(node.resolve("usr/bin/nvidia-cdi-hook"));
    String cuda = "/usr/lib64/libcuda.so";

    assertThat(edits().mounts())
        .contains(file("usr/lib64/libcuda.so." + VERSION, cuda + "." + VERSION));
    assertThat(edits().hooks())
        .containsExactly(
            new Hook(
                "/usr/bin/nvidia-cdi-hook",
                ImmutableList.of(
                    "create-symlinks",
                    "--link",
                    "libcuda.so." + VERSION + "::" + cuda + ".1",
                    "--link",
                    "libcuda.so.1::" + cuda,
                    "--link",
                    "libnvidia-ml.so." + VERSION + "::/usr/lib64/libnvidia-ml.so.1")),
            new Hook(
                "/usr/bin/nvidia-cdi-hook",
                ImmutableList.of("update-ldcache", "--folder", "/usr/lib64")));
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
    program(node.resolve("usr/bin/nvidia-cdi-hook"));

    assertThat(edits().mounts())
        .containsExactlyInAnyOrder(
            same("libGLX_nvidia"),
            same("libcuda"),
            same("libnvidia-glcore"),
            same("libnvidia-ml"),
            same("libnvidia-tls"));
    assertThat(edits().hooks().get(0).arguments())
        .containsExactly(
            "create-symlinks",
            "--link",
            "libGLX_nvidia.so." + VERSION + "::/usr/lib64/libGLX_indirect.so.0",
            "--link",
            "libcuda.so." + VERSION + "::/usr/lib64/libcuda.so.1",
            "--link",
            "libcuda.so.1::/usr/lib64/libcuda.so",
            "--link",
            "libnvidia-ml.so." + VERSION + "::/usr/lib64/libnvidia-ml.so.1");
  }

  private static Mount same(String library) {
    String file = "usr/lib64/%s.so.%s".formatted(library, VERSION);
    return file(file, "/" + file);
  }

  @Test
  void whatTheLinkerKnowsIsMountedByThoseNames() throws IOException {
    linkerKnows();

    assertThat(edits().mounts())
        .extracting(Mount::containerPath)
        .map(path -> Path.of(path).getFileName().toString())
        .containsExactlyInAnyOrder(
            "libGLX_indirect.so.0",
            "libcuda.so",
            "libcuda.so.1",
            "libnvidia-glcore.so." + VERSION,
            "libnvidia-ml.so.1",
            "libnvidia-tls.so." + VERSION);
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

  @ParameterizedTest
  @ValueSource(strings = {"/usr/bin", "/usr/local/nvidia/toolkit"})
  void theToolkitIsThatOfTheNodeWhereverTheDriverIs(String directory) throws IOException {
    program(root.resolve("usr/bin/nvidia-cdi-hook"));
    assertThat(edits().hooks()).as("the node has none").isEmpty();

    program(node.resolve(Path.of("/").relativize(Path.of(directory, "nvidia-cdi-hook"))));
    assertThat(edits().hooks())
        .extracting(Hook::path)
        .containsExactly(directory + "/nvidia-cdi-hook", directory + "/nvidia-cdi-hook");
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
    library("libcuda.so.535.1");
    Files.createSymbolicLink(root.resolve("usr/lib64/libcuda.so.1"), Path.of("libcuda.so.535.1"));

    assertThatThrownBy(this::edits)
        .hasMessage(
            "%s has no libcuda.so.1 of driver %s; was the driver replaced without a restart of the node?"
                .formatted(root, VERSION));
  }
}
