package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A driver in {@code /usr/lib64} of a root of its own, on a node. */
abstract class InstalledDriver {

  static final String VERSION = "550.54.15";

  @TempDir Path node = Path.of("");

  Path root = Path.of("");

  @BeforeEach
  void install() throws IOException {
    root = node.resolve("driver");
    for (String name : ImmutableList.of("libcuda", "libnvidia-ml")) {
      library(name + ".so." + VERSION);
      Files.createSymbolicLink(
          root.resolve("usr/lib64").resolve(name + ".so.1"), Path.of(name + ".so." + VERSION));
    }
  }

  void library(String name) throws IOException {
    Path file = root.resolve("usr/lib64").resolve(name);
    Files.createDirectories(file.resolveSibling(""));
    Files.createFile(file);
  }

  static final ContainerToolkit OLD =
      new ContainerToolkit(
          Path.of("/usr/bin/nvidia-ctk"), ImmutableList.of("hook"), ImmutableSet.of());

  ContainerEdits edits(Optional<ContainerToolkit> toolkit) throws IOException {
    return new DriverFiles(found(), VERSION, toolkit).edits();
  }

  DriverRoot found() throws IOException {
    return DriverRoot.find(Optional.of(Path.of("/driver")), Optional.empty(), node);
  }

  ContainerEdits edits() throws IOException {
    return edits(Optional.empty());
  }

  ContainerEdits withHooks() throws IOException {
    return edits(Optional.of(OLD));
  }

  static void program(Path file) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    assertThat(Files.createFile(file).toFile().setExecutable(true)).isTrue();
  }

  static ImmutableList<String> directories() {
    return ImmutableList.of(
        "/usr/local/nvidia/lib64/", "/usr/lib/%s/".formatted(ElfHeader.multiarch()), "/usr/lib64/");
  }

  static ImmutableSet<Mount> everywhere(String... namesAndFiles) {
    ImmutableSet.Builder<Mount> mounts = ImmutableSet.builder();
    for (String directory : directories()) {
      for (int i = 0; i < namesAndFiles.length; i += 2) {
        mounts.add(file("usr/lib64/" + namesAndFiles[i + 1], directory + namesAndFiles[i]));
      }
    }
    return mounts.build();
  }

  static ImmutableList<String> links(ContainerEdits edits) {
    return edits.hooks().get(0).arguments().stream()
        .filter(argument -> argument.contains("::"))
        .collect(ImmutableList.toImmutableList());
  }

  static Mount file(String host, String container) {
    return Mount.readOnly("/driver/" + host, container);
  }

  void link(String name, String to) throws IOException {
    Files.createSymbolicLink(root.resolve("usr/lib64").resolve(name), Path.of(to));
  }
}
