package io.gpudra.bench.figure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine that measures. */
public final class Machine {
  private static final double KIB_PER_GIB = 1 << 20;

  private Machine() {}

  /** In words; nothing that would tell which one it is. */
  public static String describe() throws IOException {
    return "%d cores (%s), %.0f GiB, Java %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            value(Path.of("/proc/cpuinfo"), "model name"),
            Double.parseDouble(value(Path.of("/proc/meminfo"), "MemTotal").replace(" kB", ""))
                / KIB_PER_GIB,
            Runtime.version());
  }

  private static String value(Path file, String key) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(key))
        .map(line -> line.replaceFirst("^[^:]*:\\s*", ""))
        .findFirst()
        .orElseThrow(() -> new IOException(file + " has no " + key));
  }
}
