package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Time and memory of one run of {@code kubectl gpudra}. */
record CommandCost(double seconds, double memoryMiB) {
  /** Maximum exit code of a successful command. */
  private static final int MAX_OF_AN_ANSWER = 1;

  /**
   * Runs it.
   *
   * @param cache for its archive of classes
   * @param answer the file for what it prints
   */
  static CommandCost of(Workbench bench, Path cache, ImmutableList<String> arguments, Path answer)
      throws IOException, InterruptedException {
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .add("env", "XDG_CACHE_HOME=" + cache.toAbsolutePath())
            .add(bench.root().resolve("controller/target/kubectl-gpudra").toString())
            .addAll(arguments)
            .build();
    long begin = System.nanoTime();
    try (Subprocess process = Subprocess.start(command, answer)) {
      double memory = process.peakMemoryMiB();
      double seconds = (System.nanoTime() - begin) / 1e9;
      if (process.exitCode() > MAX_OF_AN_ANSWER) {
        throw new IOException("no answer, see " + answer);
      }
      return new CommandCost(seconds, memory);
    }
  }

  /** Whether the first run has made the archive for all others. */
  static boolean isArchived(Path cache) throws IOException {
    try (Stream<Path> left = Files.list(cache.resolve("gpudra"))) {
      ImmutableList<String> names =
          left.map(Path::toString).collect(ImmutableList.toImmutableList());
      return names.stream().anyMatch(name -> name.endsWith(".jsa"))
          && names.stream().noneMatch(name -> name.endsWith(".making"));
    }
  }
}
