package io.gpudra.kubeletplugin.device.mps;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableSortedSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The log of a running server. A server serves the processes of one user at a time; those of other
 * users wait until the last of these has ended, and only this log shows it. Each client adds lines,
 * so the log is truncated when it is long; the server must append to it.
 */
final class ControlLog {

  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_AT_ONCE = 1 << 16;
  private static final int MAX_USERS = 16;

  private static final Pattern LINE =
      Pattern.compile(
          "(?:Starting new server \\d+ for user (?<served>\\d+))"
              + "|(?:NEW CLIENT \\d+ from user (?<queued>\\d+): Server is not ready)");

  private final Path file;
  private final Set<String> waiting = new TreeSet<>();
  private String served = "";
  private long read;

  ControlLog(Path file) {
    this.file = file;
  }

  /**
   * Users whose processes wait for those of another user.
   *
   * @param served the user whose processes run
   * @param waiting at least one
   */
  record Queue(String served, ImmutableSortedSet<String> waiting) {

    /** The text for people. */
    String text() {
      return "MPS serves one user at a time: processes of user %s wait until those of user %s have ended"
          .formatted(Joiner.on(", ").join(waiting), served);
    }
  }

  /** The users whose processes wait now. */
  Optional<Queue> queue() throws IOException {
    if (Files.exists(file)) {
      readOn();
    }
    return waiting.isEmpty()
        ? Optional.empty()
        : Optional.of(new Queue(served, ImmutableSortedSet.copyOf(waiting)));
  }

  private void readOn() throws IOException {
    try (FileChannel log =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer some = ByteBuffer.allocate(MAX_AT_ONCE);
      int count = Math.max(0, log.read(some, read));
      read += readLines(new String(some.array(), 0, count, ISO_8859_1));
      read = emptyWhenLong(log) ? 0 : read;
    }
  }

  private static boolean emptyWhenLong(FileChannel log) throws IOException {
    boolean isLong = log.size() > MAX_BYTES;
    if (isLong) {
      log.truncate(0);
    }
    return isLong;
  }

  /** Truncates another log, which the plugin does not read. */
  static void keepShort(Path file) throws IOException {
    if (Files.exists(file)) {
      try (FileChannel log = FileChannel.open(file, StandardOpenOption.WRITE)) {
        boolean unused = emptyWhenLong(log);
      }
    }
  }

  /** Prepares the log for another server, before it starts. */
  void begin() throws IOException {
    Files.deleteIfExists(file);
    read = 0;
    served = "";
    waiting.clear();
  }

  /** Reads the whole lines of the text; returns their length. */
  private int readLines(String text) {
    int whole = text.lastIndexOf('\n') + 1;
    text.substring(0, whole).lines().forEach(this::note);
    return whole;
  }

  private void note(String line) {
    Matcher says = LINE.matcher(line);
    if (!says.find()) {
      return;
    }
    if (says.group("served") != null) {
      served = says.group("served");
      waiting.remove(served);
    } else if (!says.group("queued").equals(served) && waiting.size() < MAX_USERS) {
      waiting.add(says.group("queued"));
    }
  }
}
