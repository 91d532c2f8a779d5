package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.kubeletplugin.device.os.PrivateMounts;
import io.gpudra.kubeletplugin.testing.Stubs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers fill a directory of ours as they like before it is deleted. */
class DirectoryTreeDeleterTest {

  /** In a path of at most 4,096 bytes. */
  private static final int DEEP = 1_500;

  @TempDir Path directory = Path.of("");

  private Path made(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }

  @Test
  void aDirectoryGoesWithAllThatIsInIt() throws IOException {
    Files.createDirectories(made("gpu-0").resolve("a/b/c"));
    Files.createDirectories(made("gpu-0").resolve("a/d"));
    Files.writeString(made("gpu-0").resolve("a/b/file"), "");
    made("gpu-1");

    DirectoryTreeDeleter.delete(directory, "gpu-0");

    assertThat(directory).isDirectoryNotContaining("glob:gpu-0").isNotEmptyDirectory();
  }

  @Test
  void anEmptiedDirectoryStays() throws IOException {
    Files.createDirectories(made("gpu-0").resolve("a/b/c"));

    DirectoryTreeDeleter.empty(directory, "gpu-0");

    assertThat(directory.resolve("gpu-0")).isEmptyDirectory();
  }

  @Test
  void whatALinkLeadsToStays() throws IOException {
    Path victim = Files.writeString(made("victim").resolve("file"), "");
    Files.createSymbolicLink(made("gpu-0").resolve("link"), victim.getParent());
    Files.createSymbolicLink(directory.resolve("linked"), victim.getParent());

    DirectoryTreeDeleter.delete(directory, "gpu-0");

    assertThatThrownBy(() -> DirectoryTreeDeleter.empty(directory, "linked"))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> DirectoryTreeDeleter.delete(directory, "linked"))
        .isInstanceOf(IOException.class);
    assertThat(victim).exists();
  }

  @Test
  void whatIsMountedInADirectoryStaysWithAllAroundIt() throws IOException {
    Stubs.assumeMounts(directory);
    Path ours = Files.createFile(made("gpu-0").resolve("file"));
    Path mount = made("gpu-0/a/mount");
    PrivateMounts.mountMemory(mount, "size=4k");
    try {
      Path theirs = Files.createFile(mount.resolve("file"));
      String why = mount.toRealPath() + " is mounted; nothing is deleted there";

      assertThatThrownBy(() -> DirectoryTreeDeleter.delete(directory, "gpu-0")).hasMessage(why);
      assertThatThrownBy(() -> DirectoryTreeDeleter.empty(directory, "gpu-0")).hasMessage(why);
      assertThatThrownBy(() -> DirectoryTreeDeleter.delete(mount.resolveSibling(""), "mount"))
          .hasMessage(why);
      assertThat(theirs).exists();
      assertThat(ours).exists();

      DirectoryTreeDeleter.empty(mount.resolveSibling(""), "mount");
      assertThat(mount).as("may be our own").isEmptyDirectory();
    } finally {
      PrivateMounts.unmount(mount);
    }
  }

  /** Of a path that nobody could write, deeper than a stack. */
  @Test
  void howeverDeepADirectoryIsItGoes() throws IOException {
    Path all = deep("0");
    for (int i = 1; i < 8; i++) {
      Path more = deep(String.valueOf(i));
      Files.move(all, deepest(more).resolve("d"));
      all = more;
    }
    Files.createDirectory(directory.resolve("gpu-0"));
    Files.move(all, directory.resolve("gpu-0/d"));

    DirectoryTreeDeleter.delete(directory, "gpu-0");

    assertThat(directory.resolve("gpu-0")).doesNotExist();
  }

  private Path deep(String name) throws IOException {
    Path top = directory.resolve(name);
    Files.createDirectories(deepest(top));
    return top;
  }

  private static Path deepest(Path top) {
    return top.resolve("d/".repeat(DEEP));
  }

  @Test
  void ofMoreThanCanBeDeletedAtATimeTheNextAttemptDeletesTheRest() throws IOException {
    Path gpu = made("gpu-0");
    for (int i = 0; i <= DirectoryTreeDeleter.MAX; i++) {
      Files.createFile(gpu.resolve(String.valueOf(i)));
    }

    assertThatThrownBy(() -> DirectoryTreeDeleter.delete(directory, "gpu-0"))
        .isInstanceOf(IOException.class)
        .hasMessage("more than 100000 files; the next attempt goes on");
    DirectoryTreeDeleter.delete(directory, "gpu-0");

    assertThat(gpu).doesNotExist();
  }

  @Test
  void aFileIsNoDirectory() throws IOException {
    Files.createFile(directory.resolve("gpu-0"));

    assertThatThrownBy(() -> DirectoryTreeDeleter.delete(directory, "gpu-0"))
        .isInstanceOf(NotDirectoryException.class);
  }
}
