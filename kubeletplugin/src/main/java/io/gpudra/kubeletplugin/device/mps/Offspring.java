package io.gpudra.kubeletplugin.device.mps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The processes of one server, its children included, whoever started them and whatever became of
 * that: they carry the server's directory in their environment. Numbers of processes are used again
 * and clocks are set, so neither tells whose a process is.
 */
record Offspring(Path directory) {

  private static final String MARK = "GPUDRA_MPS_DIRECTORY";

  void mark(Map<String, String> environment) {
    environment.put(MARK, directory.toString());
  }

  /** Those that run. */
  ImmutableList<ProcessHandle> all() {
    return ProcessHandle.allProcesses().filter(this::runs).collect(toImmutableList());
  }

  /** Whether a process runs and is one of these; what has ended has no environment any more. */
  boolean runs(ProcessHandle process) {
    try {
      byte[] environment =
          Files.readAllBytes(Path.of("/proc", String.valueOf(process.pid()), "environ"));
      return ("\0" + new String(environment, UTF_8)).contains("\0" + MARK + "=" + directory + "\0");
    } catch (IOException e) {
      return false;
    }
  }
}
