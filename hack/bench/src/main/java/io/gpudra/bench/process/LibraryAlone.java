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
 * Time and memory of NVIDIA's library and the kernel in a process, without the plugin's own.
 *
 * @param times file in which the process counts nanoseconds in the library
 * @param memory command line of a program that creates all MIG devices, and prints the library's
 *     memory in KiB
 */
record LibraryAlone(Path times, ImmutableList<String> memory) {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double KIB_PER_MIB = 1024;

  /** Time in the library so far. */
  double millis() throws IOException {
    byte[] nanos = Files.readAllBytes(times);
    return ByteBuffer.wrap(nanos).order(ByteOrder.nativeOrder()).getLong() / NANOS_PER_MILLI;
  }

  /** Memory with the current MIG devices. */
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
