package io.gpudra.controller.cli.translate;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.check.command.ConnectErrorText;
import io.gpudra.controller.cli.ClusterOptions;
import io.gpudra.controller.cli.GpudraCommand;
import io.gpudra.controller.cli.ManifestOption;
import io.gpudra.controller.cli.ManifestSources;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.TranslationResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Translates manifests and writes the results to a directory or to standard output. */
public abstract class TranslateCommand implements Callable<Integer> {
  static final int TRANSLATED = 0;
  static final int MEANING_LOST = 1;
  static final int NOT_TRANSLATED = 2;

  private enum Remarks {
    TEXT,
    JSON
  }

  @Mixin private ManifestOption manifests = new ManifestOption();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      description = "directory for the results, absent or empty (default: standard output)")
  private @Nullable Path directory;

  @Option(names = "--strict", description = "exit with 1 if a meaning is weaker or lost")
  private boolean strict;

  @Option(
      names = "--remarks",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "text or json, on standard error (default: ${DEFAULT-VALUE})")
  private Remarks remarks = Remarks.TEXT;

  @ParentCommand private @Nullable GpudraCommand gpudra;
  @Spec private @Nullable CommandSpec spec;

  /** Replaces the standard input. */
  public void readFrom(InputStream other) {
    manifests.readFrom(other);
  }

  @Override
  public Integer call() {
    PrintWriter err = requireNonNull(spec, "set by picocli").commandLine().getErr();
    TranslateReport report = new TranslateReport(err);
    try {
      return call(report);
    } catch (IOException e) {
      report.printProblems(List.of("not translated: " + ConnectErrorText.why(e)));
      return NOT_TRANSLATED;
    } finally {
      err.flush();
    }
  }

  private int call(TranslateReport report) throws IOException {
    if (report.printProblems(connection().problems())) {
      return NOT_TRANSLATED;
    }
    Optional<ImmutableList<ManifestText>> texts = texts(manifests, report);
    return texts.isPresent() ? translate(texts.get(), report) : NOT_TRANSLATED;
  }

  /** The texts to translate; empty if that was not possible, which is reported. */
  Optional<ImmutableList<ManifestText>> texts(ManifestOption from, TranslateReport report)
      throws IOException {
    if (report.printProblems(from.problems())) {
      return Optional.empty();
    }
    ManifestSources sources = from.read();
    report.printSources(sources);
    return sources.unread().isEmpty() ? Optional.of(sources.read()) : Optional.empty();
  }

  private int translate(ImmutableList<ManifestText> texts, TranslateReport report)
      throws IOException {
    TranslationFiles files = new TranslationFiles(manifests.names(), directory);
    if (report.printProblems(files.problems(texts))) {
      return NOT_TRANSLATED;
    }
    TranslationResult result = new TimedTranslation(translator()).translate(texts);
    if (report.printProblems(result.problems())) {
      return NOT_TRANSLATED;
    }
    write(files, result.files());
    switch (remarks) {
      case TEXT -> report.print(result, target(), notes());
      case JSON -> report.printJson(result);
    }
    return strict && (result.losesMeaning() || leavesOut()) ? MEANING_LOST : TRANSLATED;
  }

  private void write(TranslationFiles files, ImmutableMap<String, String> results)
      throws IOException {
    PrintWriter out = requireNonNull(spec, "set by picocli").commandLine().getOut();
    files.write(results, out);
    out.flush();
  }

  /** Whether objects were left out, which is reported. */
  boolean leavesOut() {
    return false;
  }

  ClusterOptions connection() {
    return requireNonNull(gpudra, "set by picocli").connection();
  }

  /** The translator that the options ask for. */
  abstract ManifestTranslator translator();

  /** The Kubernetes version of the results. */
  abstract String target();

  /** What is said at the end. */
  abstract List<String> notes();
}
