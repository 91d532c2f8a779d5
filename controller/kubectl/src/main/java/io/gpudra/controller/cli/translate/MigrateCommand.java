package io.gpudra.controller.cli.translate;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.cli.ManifestOption;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.doctor.ObjectPages;
import io.gpudra.controller.doctor.ObjectPages.TooManyException;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.TargetVersion;
import io.gpudra.controller.translate.migrate.ManifestMigration;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Translates this driver's objects for {@code resource.k8s.io/v1}. */
@Command(
    name = "migrate",
    description =
        "Translates manifests of this driver for resource.k8s.io/v1 of Kubernetes 1.34 to 1.37."
            + " Reads files, or the cluster with --from-cluster. Writes to no cluster. Prints what"
            + " changes its meaning.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnExecutionException = TranslateCommand.NOT_TRANSLATED,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:translated",
      "1:translated, and with --strict a meaning is weaker or lost",
      "2:not translated"
    })
public final class MigrateCommand extends TranslateCommand {

  /** Reads a version. */
  static final class VersionConverter implements ITypeConverter<TargetVersion> {
    @Override
    public TargetVersion convert(String text) {
      return TargetVersion.of(text)
          .orElseThrow(() -> new TypeConversionException("expected 1.34, 1.35, 1.36 or 1.37"));
    }
  }

  @Option(
      names = "--to",
      paramLabel = "VERSION",
      defaultValue = "1.36",
      converter = VersionConverter.class,
      description = "Kubernetes version, 1.34 to 1.37 (default: ${DEFAULT-VALUE})")
  private TargetVersion to = TargetVersion.V1_36;

  @Option(
      names = "--driver",
      paramLabel = "NAME",
      description = "driver whose devices are asked for (default: that of --driver-name)")
  private @Nullable String driver;

  @Option(
      names = "--from-cluster",
      description =
          "read the objects of the cluster, of one namespace or with -A of all, instead of files")
  private boolean fromCluster;

  private boolean leavesOut;

  @Override
  Optional<ImmutableList<ManifestText>> texts(ManifestOption from, TranslateReport report)
      throws IOException {
    if (!fromCluster) {
      return super.texts(from, report);
    }
    if (from.problems().isEmpty()) {
      report.printProblems(List.of("give either -f or --from-cluster"));
      return Optional.empty();
    }
    try (HttpClients http = connection().connect()) {
      ClusterManifests cluster =
          new ClusterManifests(
              new ObjectPages(http.calls()),
              connection().namespaceOrAll(),
              connection().driverName());
      return Optional.of(cluster.read(name -> leaveOut(name, report)));
    } catch (TooManyException e) {
      throw new IOException(e.getMessage() + "; migrate one namespace at a time, with -n", e);
    }
  }

  private void leaveOut(String name, TranslateReport report) {
    leavesOut = true;
    report.printProblems(List.of("not read %s: it is too large".formatted(name)));
  }

  @Override
  boolean leavesOut() {
    return leavesOut;
  }

  @Override
  ManifestTranslator translator() {
    String own = connection().driverName();
    return ManifestMigration.translator(
        new Options(own, driver == null ? own : driver, to, /* className= */ "", "4Gi"));
  }

  @Override
  String target() {
    return to.text();
  }

  @Override
  List<String> notes() {
    String serves =
        "Kubernetes 1.32 and later need a driver that publishes %s devices; see"
            + " docs/reference/translation.md";
    String devices = driver == null ? connection().driverName() : requireNonNull(driver);
    return to == TargetVersion.V1_36
        ? ImmutableList.of("use 1.36.3 or later", serves.formatted(devices))
        : ImmutableList.of(serves.formatted(devices));
  }
}
