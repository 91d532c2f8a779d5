package io.gpudra.controller.cli.training;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.cli.GpudraCommand;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Runs the usual commands, so that the JVM archives their classes at exit. The start script sets
 * {@code KUBECONFIG} to the file that is written here and discards the output.
 */
public final class TrainingRun {
  static final ImmutableList<String> COMMANDS =
      ImmutableList.of(
          "--help",
          "nodes",
          "nodes -o json",
          "nodes -o wide",
          "explain pod/train -n team-a",
          "explain train -n team-a -o json",
          "explain pod/waits -n team-a",
          "who",
          "who -n team-a",
          "check --settle 0s",
          "top claims",
          "doctor",
          "try -f " + StubApiServer.SUB_REQUEST,
          "lint -f " + StubApiServer.SUB_REQUEST,
          "convert -f " + StubApiServer.SUB_REQUEST,
          "migrate -f " + StubApiServer.SUB_REQUEST);

  private TrainingRun() {}

  /**
   * Entry point of the process.
   *
   * @param arguments the directory for all written files
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path place = Path.of(arguments[0]);
    try (StubApiServer cluster = StubApiServer.start(place)) {
      cluster.write(place);
      COMMANDS.stream()
          .map(command -> words(command, place))
          .forEach(words -> GpudraCommand.command(words).execute(words));
    }
    // Threads of the commands' connections could keep the process alive.
    System.exit(0);
  }

  /** Splits a command line into words. */
  static String[] words(String command, Path place) {
    return Splitter.on(' ')
        .splitToStream(command)
        .map(word -> word.equals(StubApiServer.SUB_REQUEST) ? place.resolve(word).toString() : word)
        .toArray(String[]::new);
  }
}
