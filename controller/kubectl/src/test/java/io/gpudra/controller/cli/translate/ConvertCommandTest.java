package io.gpudra.controller.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.cli.GpudraCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code kubectl gpudra convert} writes and prints. */
class ConvertCommandTest {
  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: p}
      spec:
        containers:
        - {name: c, image: x, resources: {limits: {nvidia.com/gpu.shared: 1}}}
      """;

  @Test
  void aLimitBecomesAShareOfTheClassAndSizeThatAreGiven(@TempDir Path directory)
      throws IOException {
    Path file = Files.writeString(directory.resolve("pod.yaml"), POD);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] all = {
      "convert", "-f", file.toString(), "--class", "gpus", "--share-memory", "2Gi", "--strict"
    };
    CommandLine command =
        GpudraCommand.command(all).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

    assertThat(command.execute(all)).isEqualTo(1);
    assertThat(out.toString())
        .contains("memoryLimit: 2Gi\n", "resourceClassName: gpus\n", "claims: [{name: gpu}]");
    assertThat(err.toString())
        .contains("pod.yaml:4:1: weaker: Pod p: spec: before: replicas of GPUs")
        .endsWith("1 objects changed, 0 unchanged, in 1 files: 0 same, 1 weaker, 0 lost\n");
  }
}
