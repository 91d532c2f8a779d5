package io.gpudra.bench.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What of a process is NVIDIA's library and the kernel behind it, and no matter of the plugin's.
 *
 * @param times where the process that uses it counts the nanoseconds that it is there
 * @param memory command line of a program that asks it for all MIG devices, and tells what of its
 *     memory is the library's, in KiB
 */
record LibraryAlone(Path times, ImmutableList<String> memory) {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double KIB_PER_MIB = 1024;

  /** Spent in it so far. */
  double millis() throws IOException {
    byte[] nanos = Files.readAllBytes(times);
    return ByteBuffer.wrap(nanos).order(ByteOrder.nativeOrder()).getLong() / NANOS_PER_MILLI;
  }

  /** With the MIG devices of now. */
  double mebibytes() throws IOException {
    Process process =
        new ProcessBuilder(memory).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader answer = process.inputReader(UTF_8)) {
      return answer
              .lines()
              .mapToDouble(Double::parseDouble)
              .findFirst()
              .orElseThrow(() -> new IOException(memory + " tells nothing"))
          / KIB_PER_MIB;
    }
  }
}
