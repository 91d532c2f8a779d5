package io.gpudra.controller.cli.rehearsal;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.cli.Gpudra;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Runs the usual commands, of which the JVM archives the classes as it ends. The start script lets
 * {@code KUBECONFIG} name the file that is written here, and nobody see the output.
 */
public final class Rehearsal {
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
          "try -f " + PaperCluster.WISH,
          "lint -f " + PaperCluster.WISH);

  private Rehearsal() {}

  /**
   * The rehearsing process's entry point.
   *
   * @param arguments the directory for all that is written
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path place = Path.of(arguments[0]);
    try (PaperCluster cluster = PaperCluster.start(place)) {
      cluster.write(place);
      COMMANDS.stream()
          .map(command -> words(command, place))
          .forEach(words -> Gpudra.command(words).execute(words));
    }
    // Connections of the commands may have threads that would keep the process.
    System.exit(0);
  }

  /** Of a command line. */
  static String[] words(String command, Path place) {
    return Splitter.on(' ')
        .splitToStream(command)
        .map(word -> word.equals(PaperCluster.WISH) ? place.resolve(word).toString() : word)
        .toArray(String[]::new);
  }
}
