package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * The limits of a server for each of its clients. A server identifies its devices by their
 * positions among those it sees, and silently ignores unknown values, so each limit is read back.
 *
 * @param server with its devices in the order in which it sees them
 * @param control sends commands to the server
 */
record MpsLimits(MpsServer server, Question control) {

  private static final long MIB = 1L << 20;
  private static final String THREADS = "default_active_thread_percentage";
  private static final String MEMORY = "default_device_pinned_mem_limit";

  /** A limit such as 512M or 68G, of which the rest is cut off. */
  private static final Pattern AMOUNT = Pattern.compile("\\d.*");

  /** Sends a command and returns the answer. */
  interface Question {
    String ask(String command) throws IOException;
  }

  /**
   * Sets the limits, which apply from the next client on.
   *
   * @throws IOException naming the limit that was not set
   */
  void set() throws IOException {
    if (server.threads().isPresent()) {
      limitThreads(server.threads().getAsInt());
    }
    ImmutableList<String> devices = server.pinnedMemory().keySet().asList();
    for (int place = 0; place < devices.size(); place++) {
      long bytes = server.pinnedMemory().values().asList().get(place);
      if (bytes > 0) {
        // The server accepts no limit of 0.
        limitMemory(place, devices.get(place), Math.max(1, bytes / MIB));
      }
    }
  }

  private void limitThreads(int percentage) throws IOException {
    control.ask("set_%s %d".formatted(THREADS, percentage));
    String set = control.ask("get_" + THREADS);
    if (!set.equals(percentage + ".0")) {
      throw refused("active thread percentage %d".formatted(percentage), set, "take another one");
    }
  }

  private void limitMemory(int place, String device, long mebibytes) throws IOException {
    control.ask("set_%s %d %dM".formatted(MEMORY, place, mebibytes));
    String set = control.ask("get_%s %d".formatted(MEMORY, place));
    if (!AMOUNT.matcher(set).matches()) {
      throw refused(
          "memory limit %dM of %s".formatted(mebibytes, device),
          set,
          "it takes driver 495 or newer; update the driver, or claim without a limit of memory");
    }
  }

  private IOException refused(String limit, String answer, String remedy) {
    return new IOException(
        "MPS server of %s did not take %s and answers \"%s\": %s"
            .formatted(server.name(), limit, answer, remedy));
  }
}
