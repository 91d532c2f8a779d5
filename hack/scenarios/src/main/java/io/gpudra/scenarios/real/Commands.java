package io.gpudra.scenarios.real;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.File;
import java.io.IOException;
import java.util.List;

/**
 * Runs the same program with one list of arguments after the other.
 *
 * @param program the command and its first arguments
 */
public record Commands(ImmutableList<String> program) {

  /**
   * What it printed, errors after the rest.
   *
   * @throws IOException when it cannot be started or ends with anything but 0
   */
  public String output(List<String> arguments) throws IOException, InterruptedException {
    Answer answer = run(arguments);
    if (answer.code() != 0) {
      throw new IOException(
          "%s %s ended with %d: %s"
              .formatted(
                  String.join(" ", program),
                  String.join(" ", arguments),
                  answer.code(),
                  answer.text()));
    }
    return answer.text();
  }

  /** Runs it, however it ends. */
  public Answer run(List<String> arguments) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                ImmutableList.<String>builder().addAll(program).addAll(arguments).build())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    try {
      String text = new String(process.getInputStream().readAllBytes(), UTF_8);
      return new Answer(process.waitFor(), text);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * How it ended.
   *
   * @param text standard output and error as they came
   */
  public record Answer(int code, String text) {}
}
