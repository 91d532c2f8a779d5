package io.gpudra.scenarios;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;

@AnalyzeClasses(
    packages = "io.gpudra.scenarios",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().matching("io.gpudra.scenarios.(*)..").should().beFreeOfCycles();

  /** What is shown must not share code with what shows it. */
  @ArchTest
  static final ArchRule THE_DRIVER_IS_ONLY_STARTED =
      ArchRuleDefinition.noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.gpudra.controller..", "io.gpudra.kubeletplugin..", "io.gpudra.crds..");
}
