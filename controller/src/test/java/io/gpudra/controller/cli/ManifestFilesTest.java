package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestFilesTest {

  @Test
  void allFilesTogetherHaveABudgetOfWhatTheyStandFor(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("seven-megabytes.yaml");
    Files.writeString(file, "a: &a %s%nb: [%s]".formatted("x".repeat(1 << 16), "*a, ".repeat(110)));

    assertThatThrownBy(
            () ->
                ManifestFiles.read(
                    Collections.nCopies(12, file.toString()), InputStream.nullInputStream()))
        .isInstanceOf(IOException.class)
        .hasMessage(file + ", document 1: more than 64 MiB in all");
  }
}
