package io.gpudra.scenarios;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Behind {@code hack/demo}, {@code hack/localcluster}, {@code hack/scenarios/load} and {@code
 * hack/e2e}.
 */
@Command(
    name = "gpudra-scenarios",
    description = "Runs the driver on an embedded or a real cluster.",
    mixinStandardHelpOptions = true,
    subcommands = {
      DemoCommand.class,
      EndToEndCommand.class,
      LoadCommand.class,
      LocalClusterCommand.class
    })
final class Main {

  private Main() {}

  /** Exits 0 when everything asked for was done, 1 when not, 2 when it is not understood. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }
}
