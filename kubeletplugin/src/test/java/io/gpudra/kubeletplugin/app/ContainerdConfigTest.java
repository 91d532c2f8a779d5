package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerdConfigTest {
  private static final String FILE = "/etc/containerd/config.toml";
  private static final String K3S = "/var/lib/rancher/k3s/agent/etc/containerd/config.toml";
  private static final String OFF = "version = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\n";

  @TempDir Path root = Path.of("");

  private Path write(String file, String text) throws IOException {
    Path there = root.resolve(file.substring(1));
    Files.createDirectories(there.resolveSibling(""));
    return Files.writeString(there, text);
  }

  private Optional<Path> without() {
    return ContainerdConfig.below(root).withoutCdi();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "enable_cdi = false",
        "# enable_cdi = true",
        "enable_cdi = false # not enable_cdi = true",
        "imports = [\"/etc/containerd/conf.d/*.toml\"]",
      })
  void aFileThatDoesNotSwitchCdiOnIsNamed(String line) throws IOException {
    write(FILE, OFF + line);
    assertThat(without()).contains(Path.of(FILE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "enable_cdi = true",
        "  \"enable_cdi\"=true # for GPUs",
        "[plugins]\nplugins.cri.enable_cdi = true",
      })
  void aFileThatSwitchesCdiOnIsNot(String line) throws IOException {
    write(FILE, OFF + line);
    assertThat(without()).isEmpty();
  }

  @Test
  void whereNoFileIsNothingIsKnown() {
    assertThat(without()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"/etc/containerd/conf.d/*.toml\"",
        "'conf.d/99-nvidia.toml'",
        "\n  # those of the toolkit\n  \"conf.d/*-nvidia.toml\",\n",
      })
  void whatIsImportedSwitchesItOnToo(String imports) throws IOException {
    write(FILE, "imports = [%s]\n%s".formatted(imports, OFF));
    write("/etc/containerd/conf.d/99-nvidia.toml", "enable_cdi = true");
    assertThat(without()).isEmpty();
  }

  @Test
  void importsOfImportsAreReadAndEndSomewhere() throws IOException {
    write(FILE, "imports = [\"one.toml\"]");
    write("/etc/containerd/one.toml", "imports = [\"two.toml\"]");
    write("/etc/containerd/two.toml", OFF);
    assertThat(without()).contains(Path.of(FILE));

    write("/etc/containerd/two.toml", "imports = [\"one.toml\"]");
    assertThat(without()).as("a circle").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "imports = [\"/etc/containerd/gone.toml\"]",
        "imports = [\"/etc/*/conf.toml\"]",
        "imports = [\"conf.d/*{\"]"
      })
  void whatCannotBeFollowedIsNotBlamed(String imports) throws IOException {
    write(FILE, imports);
    write("/etc/containerd/conf.d/a.toml", "");
    assertThat(without()).isEmpty();
  }

  @Test
  void aFileThatIsTooLongIsNotReadToItsEnd() throws IOException {
    write(FILE, "#".repeat((64 << 10) + 1));
    assertThat(without()).isEmpty();
  }

  @Test
  void aDirectoryWithTooManyFilesIsNotReadToItsEnd() throws IOException {
    write(FILE, "imports = [\"conf.d/*\"]");
    for (int i = 0; i < 33; i++) {
      write("/etc/containerd/conf.d/" + i, "");
    }
    assertThat(without()).isEmpty();
  }

  @Test
  void aContainerdThatServesNoKubeletIsNotBlamed() throws IOException {
    write(FILE, "disabled_plugins = [\"cri\"]");
    assertThat(without()).isEmpty();
    write(K3S, OFF);
    assertThat(without()).contains(Path.of(K3S));
  }

  @Test
  void whereTwoAreThereTheOneWithCdiMayBeTheKubelets() throws IOException {
    write(FILE, OFF);
    write(K3S, "enable_cdi = true");
    assertThat(without()).isEmpty();
  }

  @Test
  void linksAreThoseOfTheNode() throws IOException {
    write("/opt/config.toml", OFF);
    Files.createDirectories(root.resolve("etc/containerd"));
    Files.createSymbolicLink(
        root.resolve("etc/containerd/config.toml"), Path.of("/opt/config.toml"));
    assertThat(without()).contains(Path.of(FILE));
  }

  @Test
  void whatIsNoFileIsNotOpened() throws IOException {
    Files.createDirectories(root.resolve("etc/containerd/config.toml"));
    assertThat(without()).isEmpty();
  }
}
