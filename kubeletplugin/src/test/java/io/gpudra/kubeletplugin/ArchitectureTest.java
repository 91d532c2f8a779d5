package io.gpudra.kubeletplugin;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The edges of the package table, for the code that is shipped. */
@AnalyzeClasses(
    packages = "io.gpudra.kubeletplugin",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String ROOT = "io.gpudra.kubeletplugin.";

  @ArchTest
  static final ArchRule EDGES =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage("io.gpudra.kubeletplugin..")
          .layer("app")
          .definedBy(ROOT + "app..")
          .layer("rpc")
          .definedBy(ROOT + "rpc..")
          .layer("proto")
          .definedBy(ROOT + "proto..")
          .layer("kube")
          .definedBy(ROOT + "kube..")
          .layer("prepare")
          .definedBy(ROOT + "prepare..")
          .layer("device")
          .definedBy(ROOT + "device..")
          .layer("cdi")
          .definedBy(ROOT + "cdi..")
          .layer("checkpoint")
          .definedBy(ROOT + "checkpoint..")
          .layer("pods")
          .definedBy(ROOT + "pods..")
          .whereLayer("app")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("rpc")
          .mayOnlyBeAccessedByLayers("app")
          .whereLayer("proto")
          .mayOnlyBeAccessedByLayers("rpc")
          .whereLayer("kube")
          .mayOnlyBeAccessedByLayers("app")
          .whereLayer("prepare")
          .mayOnlyBeAccessedByLayers("app", "rpc", "kube")
          .whereLayer("device")
          .mayOnlyBeAccessedByLayers("app", "prepare", "kube")
          .whereLayer("cdi")
          .mayOnlyBeAccessedByLayers("app", "prepare", "device")
          .whereLayer("checkpoint")
          .mayOnlyBeAccessedByLayers("app", "prepare")
          .whereLayer("pods")
          .mayOnlyBeAccessedByLayers("app", "prepare");

  @ArchTest
  static final ArchRule NO_CYCLES = slices().matching(ROOT + "(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule MPS_KNOWS_NO_DEVICES =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "device.mps")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + "device");

  @ArchTest
  static final ArchRule NVML_KNOWS_NOTHING_OF_OURS =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "device.nvml")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.gpudra..").and(not(resideInAPackage(ROOT + "device.nvml"))));

  @ArchTest
  static final ArchRule ONLY_NVML_AND_MOUNTS_CALL_C =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + "device.nvml", ROOT + "device.os")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.sun.jna..");

  @ArchTest
  static final ArchRule ROOMS_OF_PREPARE =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("claims")
          .definedBy(ROOT + "prepare")
          .layer("step")
          .definedBy(ROOT + "prepare.step")
          .layer("call")
          .definedBy(ROOT + "prepare.call")
          .whereLayer("claims")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("step")
          .mayOnlyBeAccessedByLayers("claims");

  @ArchTest
  static final ArchRule ONLY_KUBE_SEES_THE_API_SERVER =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "kube..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.kubernetes..", "okhttp3..");

  @ArchTest
  static final ArchRule PREPARE_SEES_NEITHER_JSON_NOR_PROTO =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "prepare..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.fasterxml..", "com.google.protobuf..", "io.grpc..");

  @ArchTest
  static final ArchRule ONLY_RPC_SEES_GRPC =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + "rpc..", ROOT + "proto..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.grpc..", "io.netty..");

  @ArchTest
  static final ArchRule NAMED_BY_WHAT_THEY_ARE =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + "proto..")
          .should()
          .haveSimpleNameEndingWith("Manager")
          .orShould()
          .haveSimpleNameEndingWith("Impl")
          .orShould()
          .haveSimpleNameEndingWith("Util")
          .orShould()
          .haveSimpleNameEndingWith("Helper");
}
