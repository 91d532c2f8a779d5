package io.gpudra.crds;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The module's rows of the table of allowed imports. */
class ArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.gpudra.crds");

  @Test
  void packagesHaveNoCycle() {
    slices().matching("io.gpudra.crds.(*)..").should().beFreeOfCycles().check(MAIN);
  }

  @Test
  void theVocabularyKnowsNoWireFormat() {
    allow("io.gpudra.crds.model..");
  }

  @Test
  void whatIsPromisedIsToldWithoutAnyNode() {
    allow("io.gpudra.crds.model");
  }

  @Test
  void theUsageKnowsTheVocabularyOnly() {
    allow("io.gpudra.crds.usage..", "io.gpudra.crds.model..");
  }

  @Test
  void theResourceOfPluginsKnowsNothingThatPeopleWrite() {
    allow(
        "io.gpudra.crds.api",
        "io.gpudra.crds.text",
        "io.gpudra.crds.wire..",
        "io.kubernetes.client.openapi.models..",
        "com.fasterxml.jackson.annotation..",
        "com.google.gson.annotations..");
  }

  @Test
  void whatIsWrongIsToldOfAnyObject() {
    allow("io.gpudra.crds.api.problem", "io.gpudra.crds.model");
  }

  @Test
  void whatPeopleWriteIsJudgedWithoutAnyNode() {
    allow(
        "io.gpudra.crds.api.parameters",
        "io.gpudra.crds.api",
        "io.gpudra.crds.api.problem",
        "io.gpudra.crds.model",
        "io.gpudra.crds.wire",
        "io.kubernetes.client.openapi.models..",
        "com.fasterxml.jackson.annotation..",
        "com.google.gson.annotations..");
  }

  @Test
  void limitsOfANamespaceKnowNoParameters() {
    allow(
        "io.gpudra.crds.api.quota",
        "io.gpudra.crds.api",
        "io.gpudra.crds.api.problem",
        "io.gpudra.crds.model",
        "io.gpudra.crds.wire",
        "io.kubernetes.client.openapi.models..",
        "com.fasterxml.jackson.annotation..");
  }

  @Test
  void theReadingOfInventoriesKnowsRecordsNotHowTheyAreStored() {
    allow(
        "io.gpudra.crds.inventory..",
        "io.gpudra.crds.text",
        "io.gpudra.crds.api..",
        "io.gpudra.crds.wire..",
        "io.gpudra.crds.model..");
  }

  @Test
  void theHandleKnowsNoResource() {
    allow(
        "io.gpudra.crds.handle..",
        "io.gpudra.crds.model..",
        "io.gpudra.crds.text..",
        "io.gpudra.crds.wire..",
        "com.fasterxml.jackson..");
  }

  @Test
  void whatIsOnBothWiresKnowsTheVocabularyAndAnnotationsOnly() {
    allow("io.gpudra.crds.wire..", "io.gpudra.crds.model..", "com.fasterxml.jackson.annotation..");
  }

  @Test
  void textsMeanNothing() {
    allow("io.gpudra.crds.text..");
  }

  /** The first package may use the others. */
  private static void allow(String... packages) {
    classes()
        .that()
        .resideInAPackage(packages[0])
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            Stream.concat(
                    Stream.of(packages),
                    Stream.of("java..", "com.google.common..", "org.jspecify.."))
                .toArray(String[]::new))
        .check(MAIN);
  }
}
