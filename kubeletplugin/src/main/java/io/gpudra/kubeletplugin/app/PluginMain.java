package io.gpudra.kubeletplugin.app;

import io.gpudra.crds.model.DriverName;
import io.gpudra.process.ExitCode;
import io.gpudra.process.LogOptions;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The node plugin. */
@Command(
    name = "kubeletplugin",
    description = "Prepares granted GPUs for the containers of this node.",
    mixinStandardHelpOptions = true,
    versionProvider = PluginMain.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:told to stop, or printed what it was asked for",
      "1:something on the node or in the cluster is in its way; the last line of the log says what",
      "2:wrong options",
      "3:out of memory"
    })
public final class PluginMain implements Callable<Integer> {

  private static final Logger log = LoggerFactory.getLogger(PluginMain.class);

  @Mixin private final PluginOptions options = new PluginOptions();
  @Mixin private final LogOptions logging = new LogOptions();

  @Option(
      names = "--print-devices",
      description = "Print the inventory of the GPUs that would be served, and end.")
  private boolean printDevices;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** Runs until stopped by a signal. */
  public static void main(String[] args) {
    // A few small calls a minute: pools and direct buffers would cost 10 MiB and gain nothing.
    System.setProperty("io.netty.allocator.type", "unpooled");
    System.setProperty("io.netty.noPreferDirect", "true");
    // Nothing else is writable in a container: the library that calls the driver is unpacked there.
    System.setProperty("jna.tmpdir", System.getProperty("java.io.tmpdir"));
    LogOptions.captureJavaLogging();
    System.exit(command().execute(args));
  }

  static CommandLine command() {
    return new CommandLine(new PluginMain()).setCaseInsensitiveEnumValuesAllowed(true);
  }

  @Override
  public Integer call() {
    DriverName.problem(options.driverName)
        .ifPresent(
            problem -> {
              throw new ParameterException(spec.commandLine(), problem);
            });
    logging.apply();
    if (DriverName.unusual(options.driverName)) {
      log.warn(
          "driver name is not of the usual form <hw>.resource.<company>.<domain> driver={}",
          options.driverName);
    }
    return printDevices ? print() : serve();
  }

  private int print() {
    try {
      spec.commandLine().getOut().println(new DevicePrinter(options, version()).text());
      return ExitCode.STOPPED;
    } catch (IOException e) {
      log.error("no devices reason=\"{}\"", e.getMessage());
      return ExitCode.CANNOT_RUN;
    }
  }

  private int serve() {
    CompletableFuture<String> fatal = new CompletableFuture<>();
    try {
      stopAtExit(PluginProcess.start(options, version(), fatal::complete), fatal);
    } catch (IOException | RuntimeException e) {
      log.error("cannot start reason=\"{}\"", e.getMessage(), e instanceof IOException ? null : e);
      return ExitCode.CANNOT_RUN;
    }
    log.error("stopping reason=\"{}\"", fatal.join());
    return ExitCode.CANNOT_RUN;
  }

  /** Closes the sockets and publishes the stop in the inventory when the process ends. */
  private static void stopAtExit(PluginProcess process, CompletableFuture<String> fatal) {
    Runnable stop =
        () -> {
          log.info("stopping");
          process.close();
          log.info("stopped");
          if (!fatal.isDone()) {
            // A signal, which the JVM would otherwise report as a failure.
            Runtime.getRuntime().halt(ExitCode.STOPPED);
          }
        };
    Runtime.getRuntime().addShutdownHook(new Thread(stop, "stop"));
  }

  private static String version() {
    return Optional.ofNullable(PluginMain.class.getPackage().getImplementationVersion())
        .orElse("development");
  }

  /** The version of the jar. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {version()};
    }
  }
}
