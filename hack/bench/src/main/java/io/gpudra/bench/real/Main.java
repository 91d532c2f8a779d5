package io.gpudra.bench.real;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Behind {@code hack/bench/real/run}. */
@Command(
    name = "gpudra-bench-real",
    description = "Measures a driver on a real control plane.",
    mixinStandardHelpOptions = true,
    subcommands = {Measure.class, Table.class, Trace.class})
final class Main {

  private Main() {}

  /** Exits 0 when everything asked for was done. */
  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true).execute(arguments));
  }
}
