package io.gpudra.process;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The module's row of the table of allowed imports. */
@AnalyzeClasses(
    packages = "io.gpudra.process",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule KNOWS_NEITHER_KUBERNETES_NOR_GPUS =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.gpudra.process..",
              "java..",
              "javax.management..",
              "javax.net.ssl..",
              "jdk.jfr..",
              "org.jspecify..",
              "com.google.common..",
              "com.codahale.metrics..",
              "io.prometheus.metrics..",
              "io.netty..",
              "picocli..",
              "org.slf4j..",
              "ch.qos.logback..");
}
