package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExitCodeTest {

  /** Run in a JVM of its own by the test. */
  static final class Greedy {
    public static void main(String[] args) {
      List<byte[]> all = new ArrayList<>();
      while (all.size() < Integer.MAX_VALUE) {
        all.add(new byte[1 << 20]);
      }
    }
  }

  @Test
  void outOfMemoryIsWhatTheJvmSaysAndNothingElse() throws IOException, InterruptedException {
    Process greedy =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:+ExitOnOutOfMemoryError",
                "-Xmx16m",
                "-cp",
                System.getProperty("java.class.path", ""),
                Greedy.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();

    assertThat(greedy.waitFor()).isEqualTo(ExitCode.OUT_OF_MEMORY);
  }

  @Test
  void noCodeMeansTwoThings() throws IllegalAccessException {
    List<Integer> codes = new ArrayList<>();
    for (Field field : ExitCode.class.getFields()) {
      codes.add(field.getInt(null));
    }

    assertThat(codes).hasSizeGreaterThan(5).doesNotHaveDuplicates();
  }
}
