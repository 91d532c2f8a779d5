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

class DriverFilesTest {

  private static final String VERSION = "550.54.15";

  @TempDir Path root = Path.of("");

  @BeforeEach
  void install() throws IOException {
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
    return new DriverFiles(new DriverRoot(root, Path.of("/driver"), ours), VERSION).edits();
  }

  private void program(String path) throws IOException {
    Path file = root.resolve(path);
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
    program("usr/bin/nvidia-smi");
    Files.createDirectories(root.resolve("run/nvidia-persistenced"));
    Files.createFile(root.resolve("run/nvidia-persistenced/socket"));

    assertThat(edits().mounts())
        .containsExactlyInAnyOrder(
            file("usr/lib64/libcuda.so." + VERSION, "/usr/local/nvidia/lib64/libcuda.so"),
            file("usr/lib64/libcuda.so." + VERSION, "/usr/local/nvidia/lib64/libcuda.so.1"),
            file(
                "usr/lib64/libnvidia-ml.so." + VERSION,
                "/usr/local/nvidia/lib64/libnvidia-ml.so.1"),
            file("usr/bin/nvidia-smi", "/usr/bin/nvidia-smi"),
            Mount.socket(
                "/driver/run/nvidia-persistenced/socket", "/run/nvidia-persistenced/socket"));
    assertThat(edits().hooks()).isEmpty();
    assertThat(edits().environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void").hasSize(1);
  }

  @Test
  void withTheToolkitItsHooksTellTheLinker() throws IOException {
    program("usr/bin/nvidia-cdi-hook");
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
