package io.gpudra.scenarios.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.app.ControllerMain;
import io.gpudra.controller.cli.GpudraCommand;
import io.gpudra.scenarios.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Each page of {@code docs/reference} says what its source says. Run with {@code
 * -Dgolden.update=true} to write the pages anew, then read the difference.
 */
class ReferencePagesTest {
  private static final Path ROOT = Pages.ROOT;

  @Test
  void parametersAreThoseOfTheDefinition() throws IOException {
    isUpToDate(
        "parameters.md",
        customResource(
            "gpuclaimparameters",
            """
            A ResourceClaim names an object of this kind to say which GPUs it needs.
            Users write `spec`; the controller writes `status`.
            """));
  }

  @Test
  void classParametersAreThoseOfTheDefinition() throws IOException {
    isUpToDate(
        "class-parameters.md",
        customResource(
            "gpuclassparameters",
            """
            A ResourceClass names an object of this kind to say what its claims may have.
            Administrators write `spec`; the controller writes `status`.
            """));
  }

  @Test
  void quotasAreThoseOfTheDefinition() throws IOException {
    isUpToDate(
        "quota.md",
        customResource(
            "gpuquotas",
            """
            A namespace has objects of this kind to bound what its claims hold.
            Administrators write `spec`; the controller writes `status`.
            """));
  }

  @Test
  void theInventoryIsThatOfTheDefinition() throws IOException {
    isUpToDate(
        "inventory.md",
        customResource(
            "nodeinventories",
            """
            Each node with GPUs has one object of this kind, with the name of the node.
            Its kubelet plugin writes `status`; administrators write taints to `spec`.
            """));
  }

  @Test
  void attributesAreThoseOfTheTable() throws IOException {
    isUpToDate(
        "attributes.md",
        AttributesPage.of(
            """
            [Conditions](../user/cel.md) read these attributes of a device.
            A condition may take 8,000 steps for one device, or 500 if it reads an attribute with so many values
            that each device is evaluated.
            """));
  }

  private static String customResource(String plural, String intro) throws IOException {
    return CustomResourcePage.of(ROOT.resolve("crds").resolve(plural + ".yaml"), intro);
  }

  @Test
  void valuesAreThoseOfTheChart() throws IOException {
    isUpToDate(
        "chart-values.md",
        ChartValuesPage.of(
            ROOT.resolve("manifests/chart"),
            """
            The table has each value of the [Helm chart](../../manifests/chart/README.md) with its default.
            A value with an unknown name or a wrong type is refused.
            """,
            """
            A values file for NVIDIA's DRA driver installs this driver, too.
            Two values that disagree are refused with both names; the value of this chart counts where
            it differs from its default.
            """));
  }

  @Test
  void optionsAreThoseOfThePrograms() throws IOException {
    isUpToDate(
        "options.md",
        OptionsPage.of(
            """
            An option with an environment variable can be set by either; the option counts where both
            are set. Each program and command also takes `--help` and `--version`.
            """,
            new ControllerMain(),
            new io.gpudra.kubeletplugin.app.PluginMain(),
            GpudraCommand.command()));
  }

  @Test
  void translationIsThatOfTheTable() throws IOException {
    isUpToDate(
        "translation.md",
        TranslationPage.of(
            """
            `kubectl gpudra migrate` translates objects of this driver for `resource.k8s.io/v1`, and
            `kubectl gpudra convert` objects of that API, and of NVIDIA's device plugin, for this driver.
            Each row has a name, by which tests hold it. A remark is `same` where the meaning stays in a way that
            may surprise, `weaker` where nearly all of it does, and `lost` where it does not.
            Rows without a remark keep the meaning.

            Migrated objects need a driver that publishes devices with these attributes on Kubernetes 1.34 and later.
            With `--driver gpu.nvidia.com` they ask for those of NVIDIA's driver.
            """));
  }

  @Test
  void everyRowIsOnThePage() throws IOException {
    assertThat(Pages.text("docs/reference/translation.md"))
        .contains(TranslationPage.rows().map(row -> "| `%s` |".formatted(row.name())).toList());
  }

  @Test
  void documentsAreThoseOfTheBlocks() throws IOException {
    isUpToDate(
        "documents.md",
        DocumentsPage.of(
            """
            Five texts about Dynamic Resource Allocation, by others: two for the API of this driver, three for later APIs
            and for other drivers. The tables say what each text promises, how a cluster with this driver has it, and what
            comes of each of its YAML blocks. `kubectl gpudra convert` translates manifests of later APIs: [translation.md](translation.md).
            The blocks, and what is made of them, are in [hack/scenarios/documents](../../hack/scenarios/documents/README.md).
            """));
  }

  @Test
  void eventsAndReasonsAreThoseOfTheDriver() throws IOException {
    isUpToDate(
        "events-and-reasons.md",
        EventsPage.of(
            ROOT,
            """
            The leading controller writes events to claims and pods; kubelet plugins write none.
            Each sentence in the column "for example" was made by the controller, of a node that was made up.
            """));
  }

  @Test
  void everyEventThatIsToldIsInTheCatalogueOfTheDesign() throws IOException {
    assertThat(EventsPage.catalogue(ROOT).keySet()).isEqualTo(EventsPage.told());
  }

  private static void isUpToDate(String name, String page) throws IOException {
    Path file = ROOT.resolve("docs/reference").resolve(name);
    if (Boolean.getBoolean("golden.update")) {
      Files.writeString(file, page);
    }
    assertThat(file).hasContent(page);
  }
}
