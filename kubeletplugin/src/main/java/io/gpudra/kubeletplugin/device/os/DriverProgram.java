package io.gpudra.kubeletplugin.device.os;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.ByteStreams;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program that does one thing and ends.
 *
 * @param command its command line
 * @param environment in addition to ours
 */
public record DriverProgram(
    ImmutableList<String> command, ImmutableMap<String, String> environment) {

  private static final Logger log = LoggerFactory.getLogger(DriverProgram.class);
  private static final String CHROOT = "/usr/sbin/chroot";
  private static final int MAX_WORDS = 4096;

  /**
   * The result.
   *
   * @param words its text on both outputs
   */
  public record Result(int status, String words) {}

  /**
   * The command line of a program that runs with another root than ours, with the files that it
   * needs.
   *
   * @param root as this process sees it
   * @param program its path in that root
   */
  public static ImmutableList<String> inRoot(Path root, Path program, String... arguments) {
    return ImmutableList.<String>builder()
        .add(CHROOT, root.toString(), program.toString())
        .add(arguments)
        .build();
  }

  /** Starts a process. */
  public interface Starter {
    Process start(ProcessBuilder program) throws IOException;
  }

  /**
   * Runs the program.
   *
   * @param input its standard input
   * @throws IOException when it cannot be started, or does not end in time
   */
  public Result run(String input, Duration patience) throws IOException {
    return run(ProcessBuilder::start, input, patience);
  }

  /** The same for a program that is started in another way. */
  public Result run(Starter starter, String input, Duration patience) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    Process process = starter.start(builder.redirectErrorStream(true));
    try {
      send(input, process);
      // Before it is read: the text fits into a pipe, and a program that hangs writes none.
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("%s does not end".formatted(String.join(" ", command)));
      }
      byte[] words = ByteStreams.limit(process.getInputStream(), MAX_WORDS).readAllBytes();
      return new Result(process.exitValue(), new String(words, UTF_8).strip());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the plugin is stopping", e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** A program that ends without reading reports the reason itself. */
  private static void send(String input, Process process) {
    try (OutputStream to = process.getOutputStream()) {
      to.write(input.getBytes(UTF_8));
    } catch (IOException e) {
      log.debug("input was not read command={} reason={}", process.info(), e.toString());
    }
  }
}
