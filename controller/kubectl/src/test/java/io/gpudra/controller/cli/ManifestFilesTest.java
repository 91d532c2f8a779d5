package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestFilesTest {

  private static void refused(Path file, String text, String why) throws IOException {
    Files.writeString(file, text);
    assertThatThrownBy(
            () -> ManifestFiles.read(List.of(file.toString()), InputStream.nullInputStream()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + ", line " + why);
  }

  @Test
  void whatIsNoYamlNamesItsLine(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("a.yaml");

    refused(file, "{a: 1, a: 2}", "1: key \"a\" already set in map");
    refused(file, "{a: [", "1: not valid YAML");
  }

  /** Few values, and more memory than anybody has. */
  @Test
  void aBombOfTextsIsRefused(@TempDir Path directory) throws IOException {
    String bomb = "a: &a %s%nb: [%s]".formatted("x".repeat(1 << 20), "*a, ".repeat(100_000));

    refused(directory.resolve("a.yaml"), bomb, "2: more than 250000 values");
  }

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
