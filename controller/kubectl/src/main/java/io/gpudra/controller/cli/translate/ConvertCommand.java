package io.gpudra.controller.cli.translate;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.TargetVersion;
import io.gpudra.controller.translate.convert.ManifestConversion;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Translates objects of later Kubernetes versions and of device plugins for this driver. */
@Command(
    name = "convert",
    description =
        "Translates manifests of later Kubernetes versions and of device plugins for this driver."
            + " Needs no cluster and writes to none. Prints what changes its meaning.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnExecutionException = TranslateCommand.NOT_TRANSLATED,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:translated",
      "1:translated, and with --strict a meaning is weaker or lost",
      "2:not translated"
    })
public final class ConvertCommand extends TranslateCommand {

  @Option(
      names = "--class",
      paramLabel = "NAME",
      defaultValue = "gpu.example.com",
      description = "ResourceClass for limits of a device plugin (default: ${DEFAULT-VALUE})")
  private String className = "";

  @Option(
      names = "--share-memory",
      paramLabel = "SIZE",
      defaultValue = "4Gi",
      description = "memory for a limit of nvidia.com/gpu.shared (default: ${DEFAULT-VALUE})")
  private String shareMemory = "";

  @Override
  ManifestTranslator translator() {
    String driver = connection().driverName();
    return ManifestConversion.translator(
        new Options(driver, driver, TargetVersion.V1_36, className, shareMemory));
  }

  /** Classic Dynamic Resource Allocation ends with it. */
  @Override
  String target() {
    return "1.30";
  }

  @Override
  List<String> notes() {
    return ImmutableList.of();
  }
}
