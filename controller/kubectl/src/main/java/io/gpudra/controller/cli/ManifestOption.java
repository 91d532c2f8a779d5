package io.gpudra.controller.cli;

import java.io.InputStream;
import java.util.List;
import picocli.CommandLine.Option;

/** The manifests that {@code -f} names. */
public final class ManifestOption {
  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE|DIR",
      description =
          "a file, - for standard input, or a directory, with every .yaml, .yml and .json file"
              + " below it; may be given several times")
  private List<String> names = List.of();

  private InputStream in = System.in;

  /** Replaces the standard input. */
  public void readFrom(InputStream other) {
    in = other;
  }

  /** The files and directories, in their order. */
  public List<String> names() {
    return names;
  }

  /** Reads them. */
  public ManifestSources read() {
    return ManifestSources.read(names, in);
  }

  /** What to say without any. */
  public List<String> problems() {
    return names.isEmpty() ? List.of("give files with -f") : List.of();
  }
}
