package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverRootTest {

  @TempDir Path root = Path.of("");

  @ParameterizedTest
  @ValueSource(
      strings = {"usr/lib64", "usr/lib/x86_64-linux-gnu/nvidia/current", "lib/aarch64-linux-gnu"})
  void findsTheLibraryWhereDistributionsPutIt(String place) throws IOException {
    Path library = Files.createDirectories(root.resolve(place)).resolve("libnvidia-ml.so.1");
    Files.createFile(library);

    assertThat(DriverRoot.find(Optional.of(Path.of("/")), root))
        .isEqualTo(new DriverRoot(root, Path.of("/"), library));
  }

  @Test
  void aDriverContainerComesBeforeTheNode() throws IOException {
    Path container = root.resolve("run/nvidia/driver");
    for (Path place : ImmutableList.of(container, root)) {
      Files.createFile(
          Files.createDirectories(place.resolve("lib64")).resolve("libnvidia-ml.so.1"));
    }

    assertThat(DriverRoot.find(Optional.empty(), root).host())
        .isEqualTo(Path.of("/run/nvidia/driver"));
    MoreFiles.deleteRecursively(container, RecursiveDeleteOption.ALLOW_INSECURE);
    assertThat(DriverRoot.find(Optional.empty(), root).host()).isEqualTo(Path.of("/"));
  }

  @Test
  void alternativesLeadFromTheRootToo() throws IOException {
    Path real =
        Files.createDirectories(root.resolve("usr/lib/nvidia")).resolve("libnvidia-ml.so.1");
    Files.createFile(real);
    Files.createDirectories(root.resolve("etc/alternatives"));
    Files.createSymbolicLink(
        root.resolve("etc/alternatives/nvidia-ml"), Path.of("/usr/lib/nvidia/libnvidia-ml.so.1"));
    Files.createSymbolicLink(
        Files.createDirectories(root.resolve("usr/lib64")).resolve("libnvidia-ml.so.1"),
        Path.of("/etc/alternatives/nvidia-ml"));

    assertThat(DriverRoot.find(Optional.of(Path.of("/")), root).library()).isEqualTo(real);
  }

  @Test
  void saysWhereItLookedAndWhatToDo() {
    assertThatThrownBy(() -> DriverRoot.find(Optional.empty(), root))
        .hasMessageStartingWith("no NVIDIA driver: libnvidia-ml.so.1 is in none of usr/lib64, ")
        .hasMessageEndingWith(
            " below /run/nvidia/driver, /, /home/kubernetes/bin/nvidia; install the driver, or say"
                + " with --driver-root where it is");
  }

  @Test
  void aProgramIsWhatCanBeRun() throws IOException {
    Path directory = Files.createDirectories(root.resolve("usr/bin"));
    Path program = Files.createFile(directory.resolve("nvidia-smi"));
    DriverRoot driver = new DriverRoot(root, Path.of("/"), root.resolve("none"));

    assertThat(driver.program("nvidia-smi")).isEmpty();
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(driver.program("nvidia-smi")).contains(program);
  }

  private DriverRoot driver() {
    return new DriverRoot(root.resolveSibling(""), Path.of("/").resolve(root.getFileName()), root);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/usr/lib/real.so", "../lib/real.so", "../../../../usr/lib/real.so"})
  void linksLeadFromTheRootNotFromOurs(String target) throws IOException {
    Files.createDirectories(root.resolve("usr/lib"));
    Files.createDirectories(root.resolve("usr/bin"));
    Path real = Files.createFile(root.resolve("usr/lib/real.so"));
    Files.createSymbolicLink(root.resolve("usr/bin/link.so"), Path.of(target));
    Files.createSymbolicLink(root.resolve("bin"), Path.of("/usr/bin"));

    assertThat(driver().resolve(Path.of("/bin/link.so"))).contains(real);
    assertThat(driver().inside(real)).isEqualTo(Path.of("/usr/lib/real.so"));
    assertThat(driver().onHost(real))
        .hasToString("/%s/usr/lib/real.so".formatted(root.getFileName()));
    assertThat(driver().has(driver().onHost(real))).isTrue();
    assertThat(driver().has(driver().onHost(root.resolve("usr/lib/none.so")))).isFalse();
  }

  @Test
  void aLinkToItselfLeadsNowhere() throws IOException {
    Files.createSymbolicLink(root.resolve("a"), Path.of("/b"));
    Files.createSymbolicLink(root.resolve("b"), Path.of("/a"));

    assertThat(driver().resolve(Path.of("/a"))).isEmpty();
    assertThat(driver().resolve(Path.of("/missing/file"))).isEmpty();
  }
}
