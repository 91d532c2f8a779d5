package io.gpudra.controller.cli;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.command.CheckCommand;
import io.gpudra.controller.check.command.ClusterConnection;
import io.gpudra.controller.cli.translate.ConvertCommand;
import io.gpudra.controller.cli.translate.MigrateCommand;
import io.gpudra.controller.cli.translate.TranslateCommand;
import io.gpudra.controller.client.HttpClients;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;

/** {@code kubectl gpudra}: commands about GPUs, with the caller's own rights. */
@Command(
    name = "kubectl gpudra",
    description = "Shows the GPUs of a cluster, their claims, and why pods wait. Read-only.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = GpudraCommand.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:success", "1:success, problems found", "2:failure"})
public final class GpudraCommand implements ClusterConnection {
  private static final ImmutableList<Class<?>> SUBCOMMANDS =
      ImmutableList.of(
          ExplainCommand.class,
          NodesCommand.class,
          WhoCommand.class,
          TopCommand.class,
          TryCommand.class,
          LintCommand.class,
          ConvertCommand.class,
          MigrateCommand.class,
          DoctorCommand.class,
          CheckCommand.class,
          DashboardCommand.class,
          CompletionCommand.class,
          CompleteCommand.class);

  static final int ANSWERED = 0;
  static final int SOMETHING_WRONG = 1;
  static final int NOT_ANSWERED = 2;

  @Mixin private ClusterOptions clusterOptions = new ClusterOptions();

  /** The version in the manifest of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"kubectl-gpudra " + text()};
    }

    static String text() {
      return Objects.requireNonNullElse(
          GpudraCommand.class.getPackage().getImplementationVersion(), "(unpackaged)");
    }
  }

  /** The process's entry point. */
  public static void main(String[] args) {
    System.exit(command(args).execute(args));
  }

  /**
   * Creates the command line for these arguments, only with the subcommand in them. Creating all
   * subcommands takes a twentieth of the time of an answer.
   */
  public static CommandLine command(String... args) {
    CommandLine command = new CommandLine(new GpudraCommand());
    question(args)
        .map(ImmutableList::<Class<?>>of)
        .orElse(SUBCOMMANDS)
        .forEach(command::addSubcommand);
    return command
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExitCodeExceptionMapper(unused -> NOT_ANSWERED);
  }

  private static Optional<Class<?>> question(String... args) {
    return SUBCOMMANDS.stream()
        .filter(GpudraCommand::needsNoOther)
        .filter(one -> args.length > 0 && isCalled(one, args[0]))
        .findFirst();
  }

  /** Completions need all subcommands. */
  private static boolean needsNoOther(Class<?> subcommand) {
    return ClusterCommand.class.isAssignableFrom(subcommand)
        || TranslateCommand.class.isAssignableFrom(subcommand)
        || subcommand.equals(LintCommand.class);
  }

  private static boolean isCalled(Class<?> subcommand, String name) {
    return subcommand.getAnnotation(Command.class).name().equals(name);
  }

  /** The options for cluster and namespace. */
  public ClusterOptions connection() {
    return clusterOptions;
  }

  @Override
  public String driverName() {
    return clusterOptions.driverName();
  }

  @Override
  public ImmutableList<String> problems() {
    return clusterOptions.problems();
  }

  @Override
  public HttpClients connect() throws IOException {
    return clusterOptions.connect();
  }
}
