package io.gpudra.simulator;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;

@AnalyzeClasses(
    packages = "io.gpudra.simulator",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule NO_CYCLES =
      slices().matching("io.gpudra.simulator.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule A_DOUBLE_SHARES_NO_CODE_WITH_WHAT_IT_JUDGES =
      ArchRuleDefinition.noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.gpudra.crds..",
              "io.gpudra.controller..",
              "io.gpudra.kubeletplugin..",
              "io.kubernetes..");

  @ArchTest
  static final ArchRule THE_WIRE_IS_KNOWN_TO_NOBODY_BELOW =
      ArchRuleDefinition.noClasses()
          .that()
          .resideInAnyPackage("..store..", "..kinds..", "..rules..", "..apply..", "..server..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..simulator.http..", "org.eclipse.jetty..");
}
