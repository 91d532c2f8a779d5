package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.kubernetes.client.util.KubeConfig;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeconfigLoaderTest {
  private final Path directory;

  KubeconfigLoaderTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private Path file(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content);
  }

  private static String config(String current, String context, String server) {
    return """
        apiVersion: v1
        kind: Config
        current-context: "%s"
        clusters:
        - {name: c-%s, cluster: {server: "%s", certificate-authority: ca.crt}}
        contexts:
        - {name: %s, context: {cluster: c-%s, user: u, namespace: ns-%s}}
        users:
        - {name: u, user: {tokenFile: token}}
        """
        .formatted(current, context, server, context, context, context);
  }

  @Test
  void ofSeveralFilesTheFirstCurrentContextCountsAndTheOthersCanBeNamed() throws IOException {
    Path one = file("one", config("", "a", "https://a:1"));
    Path two = file("two", config("b", "b", "https://b:1"));
    ImmutableList<Path> files = ImmutableList.of(one, two);
    KubeConfig current = KubeconfigLoader.load(files, Optional.empty());
    KubeConfig named = KubeconfigLoader.load(files, Optional.of("a"));
    assertThat(current.getServer()).isEqualTo("https://b:1");
    assertThat(current.getNamespace()).isEqualTo("ns-b");
    assertThat(named.getServer()).isEqualTo("https://a:1");
  }

  @Test
  void pathsAreRelativeToTheFileTheyStandIn() throws IOException {
    Path deep = Files.createDirectory(directory.resolve("deep"));
    Path one = file("one", config("", "a", "https://a:1"));
    Path two = Files.writeString(deep.resolve("two"), config("b", "b", "https://b:1"));
    KubeConfig current = KubeconfigLoader.load(ImmutableList.of(one, two), Optional.empty());
    assertThat(current.getCertificateAuthorityFile()).isEqualTo(deep.resolve("ca.crt").toString());
  }

  @Test
  void anUnknownContextIsRefusedWithThoseThereAre() throws IOException {
    Path one = file("one", config("a", "a", "https://a:1"));
    assertThatThrownBy(() -> KubeconfigLoader.load(ImmutableList.of(one), Optional.of("prod")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no context \"prod\"")
        .hasMessageContaining("[a]");
  }

  @Test
  void whatIsNoKubeconfigIsSaidToBeNone() throws IOException {
    Path list = file("list", "- a\n");
    Path broken = file("broken", "a: [\n");
    assertThatThrownBy(() -> KubeconfigLoader.load(ImmutableList.of(list), Optional.empty()))
        .hasMessageContaining("is no kubeconfig");
    assertThatThrownBy(() -> KubeconfigLoader.load(ImmutableList.of(broken), Optional.empty()))
        .hasMessageContaining("is no kubeconfig");
  }

  @Test
  void theOneThatIsNamedComesBeforeTheEnvironmentAndThatBeforeTheHomeDirectory()
      throws IOException {
    Path one = file("one", "");
    Path home = Files.createDirectories(directory.resolve(".kube")).resolve("config");
    Files.writeString(home, "");
    String several = one + File.pathSeparator + directory.resolve("not-there");
    ImmutableMap<String, String> environment =
        ImmutableMap.of("KUBECONFIG", several, "HOME", directory.toString());
    assertThat(KubeconfigLoader.files(Optional.of(Path.of("named")), environment))
        .containsExactly(Path.of("named"));
    assertThat(KubeconfigLoader.files(Optional.empty(), environment)).containsExactly(one);
    assertThat(
            KubeconfigLoader.files(Optional.empty(), ImmutableMap.of("HOME", directory.toString())))
        .containsExactly(home);
  }
}
