package io.gpudra.controller.cli;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Strings;
import io.gpudra.controller.lint.LintResult;
import io.gpudra.controller.lint.ManifestLinter;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Checks manifests without a cluster. */
@Command(
    name = "lint",
    description =
        "Finds what the API server and the driver would reject in manifests: unknown fields,"
            + " values, rules, conditions, and references between the objects of the files. Needs"
            + " no cluster, and assumes nothing about objects that are not in the files.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnExecutionException = LintCommand.NOT_READ,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:no problems found", "1:problems found", "2:a file could not be read"})
public final class LintCommand implements Callable<Integer> {
  private static final int NOTHING_WRONG = 0;
  private static final int SOMETHING_WRONG = 1;
  static final int NOT_READ = 2;

  private enum Output {
    TEXT,
    JSON
  }

  @Mixin private ManifestOption manifests = new ManifestOption();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "text or json (default: ${DEFAULT-VALUE})")
  private Output output = Output.TEXT;

  @ParentCommand private @Nullable GpudraCommand gpudra;
  @Spec private @Nullable CommandSpec spec;

  /** Replaces the standard input. */
  void readFrom(InputStream other) {
    manifests.readFrom(other);
  }

  @Override
  public Integer call() {
    PrintWriter err = requireNonNull(spec, "set by picocli").commandLine().getErr();
    if (!manifests.problems().isEmpty()) {
      manifests.problems().forEach(err::println);
      return NOT_READ;
    }
    ManifestSources sources = manifests.read();
    ClusterOptions options = requireNonNull(gpudra, "set by picocli").connection();
    LintResult lintResult =
        new ManifestLinter(options.driverName(), Strings.nullToEmpty(options.namespace))
            .of(sources.read());
    PrintWriter out = requireNonNull(spec, "set by picocli").commandLine().getOut();
    switch (output) {
      case TEXT -> LintReport.print(lintResult, sources, out, err);
      case JSON -> out.println(LintReport.json(lintResult, sources));
    }
    out.flush();
    err.flush();
    if (!sources.unread().isEmpty()) {
      return NOT_READ;
    }
    return lintResult.isClean() ? NOTHING_WRONG : SOMETHING_WRONG;
  }
}
