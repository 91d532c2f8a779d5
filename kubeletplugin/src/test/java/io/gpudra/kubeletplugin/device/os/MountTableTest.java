package io.gpudra.kubeletplugin.device.os;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountTableTest {
  private static final String MOUNTS =
      """
      21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
      30 21 0:25 /cdi /var/run/cdi rw,nosuid - tmpfs tmpfs rw
      31 30 0:26 / /var/run/cdi/of\\040two\\134words rw - tmpfs tmpfs rw
      32 21 0:27 /other /var/run/cdi-of-others rw - tmpfs tmpfs rw
      33 21 0:28 /\377 /pods/\377 rw - tmpfs tmpfs rw
      34 21 0:29 / /caf\303\251 rw - tmpfs tmpfs rw
      35 21 0:30 /v /var rw - tmpfs tmpfs rw
      36 21
      """;

  private MountTable mounts;

  @BeforeEach
  void write(@TempDir Path directory) throws IOException {
    mounts = new MountTable(directory.resolve("mountinfo"));
    Files.writeString(mounts.file(), MOUNTS, ISO_8859_1);
  }

  @Test
  void theInnermostMountHoldsADirectory() throws IOException {
    assertThat(mounts.rootOf(Path.of("/var/run/cdi"))).contains("/cdi");
    assertThat(mounts.rootOf(Path.of("/var/run/cdi/deeper"))).contains("/cdi");
    assertThat(mounts.rootOf(Path.of("/var/run"))).contains("/v");
    assertThat(mounts.rootOf(Path.of("/run"))).contains("/");
  }

  @Test
  void whatIsMountedLaterAtTheSamePlaceCovers() throws IOException {
    Files.writeString(
        mounts.file(), MOUNTS + "37 30 0:31 /new /var/run/cdi rw - tmpfs tmpfs rw\n", ISO_8859_1);

    assertThat(mounts.rootOf(Path.of("/var/run/cdi"))).contains("/new");
  }

  @Test
  void placesAreComparedAsTheKernelSpellsThem() throws IOException {
    String two = "/var/run/cdi/of\\040two\\134words";
    assertThat(mounts.within(Path.of("/var/run/cdi/of two\\words"))).containsExactly(two);
    assertThat(mounts.within(Path.of("/café"))).hasSize(1);
    assertThat(mounts.within(Path.of("/var/run/cdi-of"))).isEmpty();
    assertThat(mounts.within(Path.of("/var/run/cdi"))).containsExactly("/var/run/cdi", two);
    assertThat(mounts.below(Path.of("/var/run/cdi"))).containsExactly(two);
  }

  /** A pod renames the directory of a subPath, or has one for each of 40,000 volume mounts. */
  @Test
  void namesOfAnyBytesAndMountsOfAnyNumberEndNothing() throws IOException {
    String theirs = "x".repeat(400);
    try (BufferedWriter out = Files.newBufferedWriter(mounts.file(), ISO_8859_1)) {
      out.write(MOUNTS);
      for (int i = 0; i < 40_000; i++) {
        out.write("9 1 0:9 /\377 /" + theirs + " rw - tmpfs tmpfs rw\n");
      }
    }

    assertThat(mounts.rootOf(Path.of("/var/run/cdi"))).contains("/cdi");
    assertThat(mounts.below(Path.of("/var/run/cdi"))).hasSize(1);
  }
}
