package io.gpudra.kubeletplugin.device.mps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The processes of one server and their descendants, even those whose parent has ended: all carry
 * the server's directory in their environment. Process IDs are reused and clocks are set, so
 * neither identifies a process; nor does its user, which is that of the server's first client
 * (nvidia.md 5).
 *
 * <p>Other processes of the node are not trusted. Those in containers are not read: a server has
 * our PID namespace, which is that of the node. Of the others, no more is read than the environment
 * of a server may have.
 */
record ProcessTree(Path directory) {

  static final int MAX_BYTES = 64 << 10;

  private static final String MARK = "GPUDRA_MPS_DIRECTORY";
  private static final Path PROC = Path.of("/proc");

  /**
   * @throws IOException when the server would not be found among the other processes
   */
  void mark(Map<String, String> environment) throws IOException {
    environment.put(MARK, directory.toString());
    long bytes =
        environment.entrySet().stream()
            .mapToLong(one -> (one.getKey() + "=" + one.getValue() + "\0").getBytes(UTF_8).length)
            .sum();
    if (bytes > MAX_BYTES) {
      throw new IOException(
          "the environment of an MPS server has %d bytes, at most %d are read again; the plugin's"
                  .formatted(bytes, MAX_BYTES)
              + " own must be smaller");
    }
  }

  /** The running processes. */
  ImmutableList<ProcessHandle> all() {
    return ProcessHandle.allProcesses().filter(this::runs).collect(toImmutableList());
  }

  /** Whether a process runs and is one of these; an ended process has no environment. */
  boolean runs(ProcessHandle process) {
    Path its = PROC.resolve(String.valueOf(process.pid()));
    try {
      return namespace(its).equals(namespace(PROC.resolve("self")))
          && environment(its).contains("\0" + MARK + "=" + directory + "\0");
    } catch (IOException e) {
      return false;
    }
  }

  private static Path namespace(Path process) throws IOException {
    return Files.readSymbolicLink(process.resolve("ns/pid"));
  }

  private static String environment(Path process) throws IOException {
    try (InputStream from = Files.newInputStream(process.resolve("environ"))) {
      return "\0" + new String(from.readNBytes(MAX_BYTES), UTF_8);
    }
  }
}
