package io.gpudra.kubeletplugin.app;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.nvidia.RootFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads whether containerd's configuration on this node enables CDI. It is unknown where containerd
 * was started with a custom file. In doubt, CDI counts as enabled.
 */
record ContainerdConfig(RootFiles node) {
  private static final Logger log = LoggerFactory.getLogger(ContainerdConfig.class);

  /** The files of containerd, k3s, RKE2, k0s, MicroK8s and Talos. */
  private static final ImmutableList<Path> USUAL =
      ImmutableList.of(
          Path.of("/etc/containerd/config.toml"),
          Path.of("/var/lib/rancher/k3s/agent/etc/containerd/config.toml"),
          Path.of("/var/lib/rancher/rke2/agent/etc/containerd/config.toml"),
          Path.of("/etc/k0s/containerd.toml"),
          Path.of("/var/snap/microk8s/current/args/containerd.toml"),
          Path.of("/etc/cri/containerd.toml"));

  private static final int MAX_BYTES = 64 << 10;
  private static final int MAX_FILES = 32;

  private static final Pattern COMMENT = Pattern.compile("#[^\n]*");
  private static final Pattern CDI_ON = Pattern.compile("enable_cdi[\"']?\\s*=\\s*true\\b");

  /** Docker's packages install a file whose containerd serves no kubelet. */
  private static final Pattern WITHOUT_CRI =
      Pattern.compile("disabled_plugins\\s*=\\s*\\[[^]]*\\bcri[\"']");

  private static final Pattern IMPORTS = Pattern.compile("(?m)^\\s*imports\\s*=\\s*\\[([^]]*)]");
  private static final Pattern QUOTED = Pattern.compile("[\"']([^\"'\n]+)[\"']");

  /** The configuration on the node with this root directory. */
  static ContainerdConfig below(Path nodeRoot) {
    return new ContainerdConfig(new RootFiles(nodeRoot));
  }

  /** The file, by its path on the node, that does not enable CDI; empty if CDI may be enabled. */
  Optional<Path> withoutCdi() {
    Optional<Path> without = Optional.empty();
    try {
      for (Path file : USUAL) {
        if (node.resolve(file).isPresent() && !WITHOUT_CRI.matcher(read(file)).find()) {
          if (switchesOn(file)) {
            return Optional.empty();
          }
          without = without.or(() -> Optional.of(file));
        }
      }
      return without;
    } catch (IOException | PatternSyntaxException e) {
      log.debug("cannot tell whether containerd enables CDI reason=\"{}\"", e.getMessage());
      return Optional.empty();
    }
  }

  /** Whether the file or one that it imports enables CDI. */
  private boolean switchesOn(Path config) throws IOException {
    Deque<Path> left = new ArrayDeque<>(ImmutableList.of(config));
    for (int files = 0; !left.isEmpty(); files++) {
      if (files == MAX_FILES) {
        throw tooMany(config);
      }
      Path file = left.remove();
      String text = read(file);
      if (CDI_ON.matcher(text).find()) {
        return true;
      }
      left.addAll(imports(file, text));
    }
    return false;
  }

  private static IOException tooMany(Path file) {
    return new IOException("%s imports more than %d files".formatted(file, MAX_FILES));
  }

  private ImmutableList<Path> imports(Path file, String text) throws IOException {
    ImmutableList.Builder<Path> imports = ImmutableList.builder();
    Matcher list = IMPORTS.matcher(text);
    if (list.find()) {
      for (MatchResult name : QUOTED.matcher(list.group(1)).results().toList()) {
        Path named = file.resolveSibling(name.group(1));
        imports.addAll(named.toString().contains("*") ? matching(named) : ImmutableList.of(named));
      }
    }
    return imports.build();
  }

  private ImmutableList<Path> matching(Path pattern) throws IOException {
    Path parent = pattern.resolveSibling("");
    if (parent.toString().contains("*")) {
      throw new IOException("imports of many directories are not followed: " + pattern);
    }
    Optional<Path> directory = node.resolve(parent);
    if (directory.isEmpty()) {
      return ImmutableList.of();
    }
    ImmutableList.Builder<Path> files = ImmutableList.builder();
    int count = 0;
    try (DirectoryStream<Path> there =
        Files.newDirectoryStream(directory.get(), pattern.getFileName().toString())) {
      for (Path file : there) {
        if (count++ == MAX_FILES) {
          throw tooMany(pattern);
        }
        files.add(parent.resolve(file.getFileName()));
      }
    }
    return files.build();
  }

  /** The file without its comments. */
  private String read(Path file) throws IOException {
    Path there =
        node.resolve(file)
            .filter(Files::isRegularFile)
            .orElseThrow(() -> new NoSuchFileException(file.toString()));
    try (InputStream bytes = Files.newInputStream(there)) {
      byte[] text = bytes.readNBytes(MAX_BYTES + 1);
      if (text.length > MAX_BYTES) {
        throw new IOException("%s has more than %d bytes".formatted(file, MAX_BYTES));
      }
      return COMMENT.matcher(new String(text, StandardCharsets.UTF_8)).replaceAll("");
    }
  }
}
