package io.gpudra.scenarios.process;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process has used, as Linux tells it.
 *
 * @param cpuSeconds of all its threads since it started, in user and kernel mode
 * @param memoryMiB resident now
 * @param peakMemoryMiB the most resident memory it ever had
 */
public record ProcessUsage(double cpuSeconds, double memoryMiB, double peakMemoryMiB) {

  /** Linux shows times in hundredths of a second on every architecture. */
  private static final double TICKS_PER_SECOND = 100;

  private static final int USER_TIME = 11;
  private static final int SYSTEM_TIME = 12;
  private static final Splitter FIELDS = Splitter.on(' ');
  private static final double KIB_PER_MIB = 1024;

  /** Of a process that runs. */
  public static ProcessUsage of(long pid) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    return parse(
        Files.readString(process.resolve("stat")), Files.readAllLines(process.resolve("status")));
  }

  static ProcessUsage parse(String stat, List<String> status) {
    // The name is in parentheses and may hold spaces.
    List<String> fields = FIELDS.splitToList(stat.substring(stat.lastIndexOf(')') + 2));
    double ticks =
        Double.parseDouble(fields.get(USER_TIME)) + Double.parseDouble(fields.get(SYSTEM_TIME));
    return new ProcessUsage(
        ticks / TICKS_PER_SECOND, mebibytes(status, "VmRSS:"), mebibytes(status, "VmHWM:"));
  }

  private static double mebibytes(List<String> status, String field) {
    double kibibytes =
        status.stream()
            .filter(line -> line.startsWith(field))
            .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
            .findFirst()
            .orElse(0);
    return kibibytes / KIB_PER_MIB;
  }
}
