package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The real kubectl, against the server under test. */
final class Kubectl {
  private Kubectl() {}

  static boolean isThere() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "kubectl")));
  }

  /** Output and errors of a command; a body is its standard input. */
  static String run(String command, String body) {
    try {
      Path home = Files.createDirectories(Path.of("target", "kubectl"));
      Path input = Files.writeString(home.resolve("input"), body);
      Path output = home.resolve("output");
      ProcessBuilder builder = new ProcessBuilder(Splitter.on(' ').splitToList(command));
      builder
          .redirectInput(input.toFile())
          .redirectErrorStream(true)
          .redirectOutput(output.toFile());
      builder.environment().put("KUBECONFIG", ServerUnderTest.INSTANCE.kubeconfig().toString());
      builder.environment().put("HOME", home.toString());
      Process process = builder.start();
      boolean ended = process.waitFor(60, TimeUnit.SECONDS);
      process.destroyForcibly();
      assertThat(ended).as(command).isTrue();
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
