package io.gpudra.scenarios;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kubectl gpudra} as it is handed out, with the archive of classes that it makes. */
@Tag("process")
class KubectlPluginTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Path PLUGIN = Path.of("../../controller/target/kubectl-gpudra");

  private record Said(int code, String out, String err) {}

  @TempDir private Path cache = Path.of("");

  /** One test: an archive takes long to make. */
  @Test
  void itSaysTheSameWithoutAnArchiveWithOneAndWithABrokenOne() throws Exception {
    Said first = run();
    assertThat(first.out).startsWith("Usage: kubectl gpudra ");
    assertThat(first).isEqualTo(new Said(0, first.out, ""));

    Path archive =
        await()
            .atMost(LIMIT)
            .until(this::left, left -> left.size() == 1 && left.get(0).toString().endsWith(".jsa"))
            .get(0);
    assertThat(run()).isEqualTo(first);

    breakInside(archive);
    assertThat(run()).isEqualTo(first);
    assertThat(left()).containsExactly(archive);
  }

  /** Of the same size, and with a head that says nothing of it. */
  private static void breakInside(Path archive) throws IOException {
    byte[] bytes = Files.readAllBytes(archive);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = bytes.length / 4; i < bytes.length; i += 1_000) {
      bytes[i] = (byte) random.nextInt();
    }
    Files.delete(archive);
    Files.write(archive, bytes);
  }

  private Said run() throws Exception {
    ProcessBuilder builder = new ProcessBuilder(PLUGIN.toRealPath().toString(), "--help");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("XDG_CACHE_HOME", cache.toString());
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
    return new Said(process.waitFor(), out, err);
  }

  private List<Path> left() throws IOException {
    Path directory = cache.resolve("gpudra");
    return Files.exists(directory) ? MoreFiles.listFiles(directory) : List.of();
  }
}
