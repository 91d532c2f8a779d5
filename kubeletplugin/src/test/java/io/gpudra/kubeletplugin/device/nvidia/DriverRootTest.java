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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverRootTest {

  @TempDir Path root = Path.of("");

  private Path library(String directory) throws IOException {
    return library(directory, "libnvidia-ml.so.1");
  }

  private Path library(String directory, String name) throws IOException {
    return Files.createFile(Files.createDirectories(root.resolve(directory)).resolve(name));
  }

  private DriverRoot ofNode() throws IOException {
    return DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), root);
  }

  /** Of Red Hat, Debian, Arch, Talos, NixOS, Bottlerocket. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "usr/lib64",
        "usr/lib/x86_64-linux-gnu/nvidia/current",
        "lib/aarch64-linux-gnu",
        "usr/lib",
        "lib",
        "usr/local/glibc/usr/lib",
        "run/opengl-driver/lib",
        "x86_64-bottlerocket-linux-gnu/sys-root/usr/lib/nvidia/tesla"
      })
  void findsTheLibraryWhereDistributionsPutIt(String place) throws IOException {
    Path library = library(place);

    assertThat(ofNode().library()).isEqualTo(library);
    assertThat(ofNode().path()).isEqualTo(root);
  }

  @Test
  void linksOfNixLeadFromTheRoot() throws IOException {
    Path library = library("nix/store/driver/lib", "libnvidia-ml.so.550.54.15");
    Files.createSymbolicLink(
        Files.createDirectories(root.resolve("nix/store/all/lib")).resolve("libnvidia-ml.so.1"),
        Path.of("/nix/store/driver/lib/libnvidia-ml.so.550.54.15"));
    Files.createSymbolicLink(
        Files.createDirectories(root.resolve("run")).resolve("opengl-driver"),
        Path.of("/nix/store/all"));

    assertThat(ofNode().library()).isEqualTo(library);
  }

  @Test
  void theLinkerMayKnowOfAnotherDirectory() throws IOException {
    Path library = library("opt/nvidia");
    assertThatThrownBy(this::ofNode).isInstanceOf(IOException.class);

    Files.write(
        Files.createDirectories(root.resolve("etc")).resolve("ld.so.cache"),
        LinkerCacheTest.cache(
            new LinkerCacheTest.Entry(
                LinkerCacheTest.X86_64, "libnvidia-ml.so.1", "/opt/nvidia/libnvidia-ml.so.1")));
    assertThat(ofNode().library()).isEqualTo(library);
  }

  @ParameterizedTest
  @ValueSource(strings = {"opt/nvidia", "/opt/nvidia", "/run/nvidia/driver/opt/nvidia"})
  void aDirectoryMayBeNamedAsTheRootOrTheNodeCallsIt(String named) throws IOException {
    Path library = library("run/nvidia/driver/opt/nvidia");
    library("run/nvidia/driver/usr/lib64");

    DriverRoot found = DriverRoot.find(Optional.empty(), Optional.of(Path.of(named)), root);
    assertThat(found.library()).isEqualTo(library);
    assertThat(found.again()).isEqualTo(found);
  }

  /** Distributions have those of 32 bits in /usr/lib. */
  @ParameterizedTest
  @CsvSource({"1, 3", "1, 62", "1, 183", "2, 21"})
  void aLibraryForAnotherMachineIsNotTaken(byte bits, int machine) throws IOException {
    Path foreign = library("usr/lib");
    byte[] header = new byte[20];
    System.arraycopy(new byte[] {0x7f, 'E', 'L', 'F', bits, 1}, 0, header, 0, 6);
    header[18] = (byte) machine;
    Files.write(foreign, header);

    assertThatThrownBy(this::ofNode)
        .hasMessageContaining(" (/usr/lib/libnvidia-ml.so.1 is for another kind of machine); ");
    Path library = library("usr/local/glibc/usr/lib");
    assertThat(ofNode().library()).isEqualTo(library);
  }

  @Test
  void aRootMayBeALinkOfTheNode() throws IOException {
    Path library = library("opt/driver-550/lib64");
    Path link = root.resolve("opt/driver");
    Files.createSymbolicLink(link, Path.of("/opt/driver-550"));
    DriverRoot found = DriverRoot.find(Optional.of(Path.of("/opt/driver")), Optional.empty(), root);
    assertThat(found.library()).isEqualTo(library);
    assertThat(found.onHost(library)).hasToString("/opt/driver-550/lib64/libnvidia-ml.so.1");

    Path newer = library("opt/driver-560/lib64");
    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("/opt/driver-560"));
    assertThat(found.again().library()).as("it leads elsewhere now").isEqualTo(newer);
  }

  @Test
  void aRootThatLeadsNowhereIsSaid() throws IOException {
    Files.createSymbolicLink(
        Files.createDirectories(root.resolve("opt")).resolve("driver"), Path.of("/opt/none"));

    assertThatThrownBy(
            () -> DriverRoot.find(Optional.of(Path.of("/opt/driver")), Optional.empty(), root))
        .hasMessageContaining(
            " below /opt/driver, nor in the etc/ld.so.cache there (/opt/driver is a link to"
                + " /opt/none, which is not there); ");
  }

  @Test
  void gpusOfWslAreNoneThatCanBeServed() throws IOException {
    library("usr/lib/wsl/lib");

    assertThatThrownBy(this::ofNode)
        .hasMessageContaining(" (GPUs of WSL have no device nodes and cannot be served); ");
  }

  @Test
  void aDriverThatWasNotTakenIsTold() throws IOException {
    Files.createSymbolicLink(
        library("usr/lib64", "libnvidia-ml.so.550.54.15").resolveSibling("libnvidia-ml.so.1"),
        Path.of("libnvidia-ml.so.550.54.15"));
    Files.createSymbolicLink(root.resolve("lib64"), Path.of("usr/lib64"));
    assertThat(ofNode().others()).as("one driver by two names").isEmpty();
    assertThat(ofNode().aside()).isEmpty();

    Files.createSymbolicLink(
        library("usr/lib", "libnvidia-ml.so.535.1.2").resolveSibling("libnvidia-ml.so.1"),
        Path.of("libnvidia-ml.so.535.1.2"));
    assertThat(ofNode().aside())
        .isEqualTo(
            "; /usr/lib64/libnvidia-ml.so.550.54.15 was taken, and left aside:"
                + " /usr/lib/libnvidia-ml.so.535.1.2");
  }

  @Test
  void aDirectoryWithMoreThanLibrariesIsNotReadToItsEnd() throws IOException {
    library("opt", "a");
    Path second = library("opt", "b");
    assertThat(LibraryDirectories.list(root.resolve("opt"), 2)).endsWith(second).hasSize(2);

    library("opt", "c");
    assertThatThrownBy(() -> LibraryDirectories.list(root.resolve("opt"), 2))
        .hasMessage(
            root.resolve("opt")
                + " has more than 2 entries; name the directory of the driver's libraries with"
                + " --driver-libraries");
  }

  /** Which every program of the driver makes. */
  @Test
  void theControlNodeAloneIsNoSignOfADriversOwnDevices() throws IOException {
    library("run/nvidia/driver/usr/lib64");
    Path own = Files.createDirectories(root.resolve("run/nvidia/driver/dev"));
    Files.createFile(own.resolve("nvidiactl"));
    DriverRoot found = DriverRoot.find(Optional.empty(), Optional.empty(), root);
    assertThat(found.dev(root)).isEqualTo(root.resolve("dev"));

    Files.createFile(own.resolve("nvidia0"));
    assertThat(found.dev(root)).isEqualTo(own);
  }

  @Test
  void aDriverContainerComesBeforeTheNode() throws IOException {
    Path container = root.resolve("run/nvidia/driver");
    for (Path place : ImmutableList.of(container, root)) {
      Files.createFile(
          Files.createDirectories(place.resolve("lib64")).resolve("libnvidia-ml.so.1"));
    }

    assertThat(DriverRoot.find(Optional.empty(), Optional.empty(), root).host())
        .isEqualTo(Path.of("/run/nvidia/driver"));
    MoreFiles.deleteRecursively(container, RecursiveDeleteOption.ALLOW_INSECURE);
    assertThat(DriverRoot.find(Optional.empty(), Optional.empty(), root).host())
        .isEqualTo(Path.of("/"));
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

    assertThat(DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), root).library())
        .isEqualTo(real);
  }

  @Test
  void saysWhereItLookedAndWhatToDo() {
    assertThatThrownBy(() -> DriverRoot.find(Optional.empty(), Optional.empty(), root))
        .hasMessageStartingWith("no NVIDIA driver: libnvidia-ml.so.1 is in none of usr/lib64, ")
        .hasMessageEndingWith(
            " below /run/nvidia/driver, /, /home/kubernetes/bin/nvidia, nor in the etc/ld.so.cache"
                + " there; install the driver, or say with --driver-root where it is and with"
                + " --driver-libraries in which directory its libraries are");
    assertThatThrownBy(
            () -> DriverRoot.find(Optional.empty(), Optional.of(Path.of("opt/lib")), root))
        .hasMessageStartingWith(
            "no NVIDIA driver: libnvidia-ml.so.1 is in none of opt/lib below /run/nvidia/driver, /,"
                + " /home/kubernetes/bin/nvidia; install ");
  }

  /** Of any distribution, of Talos, NixOS and Bottlerocket. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "usr/bin",
        "usr/local/bin",
        "run/current-system/sw/bin",
        "x86_64-bottlerocket-linux-gnu/sys-root/usr/libexec/nvidia/tesla/bin"
      })
  void aProgramIsWhatCanBeRun(String place) throws IOException {
    Path program = library(place, "nvidia-smi");
    library("lib64");
    DriverRoot driver = ofNode();

    assertThat(driver.program("nvidia-smi")).isEmpty();
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(driver.program("nvidia-smi")).contains(program);
  }

  private DriverRoot driver() throws IOException {
    library("lib64");
    return DriverRoot.find(
        Optional.of(Path.of("/").resolve(root.getFileName())),
        Optional.empty(),
        root.resolveSibling(""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/usr/lib/real.so", "../lib/real.so", "../../../../usr/lib/real.so"})
  void linksLeadFromTheRootNotFromOurs(String target) throws IOException {
    Files.createDirectories(root.resolve("usr/lib"));
    Files.createDirectories(root.resolve("usr/bin"));
    Path real = Files.createFile(root.resolve("usr/lib/real.so"));
    Files.createSymbolicLink(root.resolve("usr/bin/link.so"), Path.of(target));
    Files.createSymbolicLink(root.resolve("bin"), Path.of("/usr/bin"));

    DriverRoot driver = driver();
    assertThat(driver.resolve(Path.of("/bin/link.so"))).contains(real);
    assertThat(driver.inside(real)).isEqualTo(Path.of("/usr/lib/real.so"));
    assertThat(driver.onHost(real))
        .hasToString("/%s/usr/lib/real.so".formatted(root.getFileName()));
    assertThat(driver.has(driver.onHost(real))).isTrue();
    assertThat(driver.has(driver.onHost(root.resolve("usr/lib/none.so")))).isFalse();
  }

  @Test
  void aLinkToItselfLeadsNowhere() throws IOException {
    Files.createSymbolicLink(root.resolve("a"), Path.of("/b"));
    Files.createSymbolicLink(root.resolve("b"), Path.of("/a"));

    RootFiles files = new RootFiles(root);
    assertThat(files.resolve(Path.of("/a"))).isEmpty();
    assertThat(files.resolve(Path.of("/missing/file"))).isEmpty();
  }
}
