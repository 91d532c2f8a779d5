package io.gpudra.scenarios;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Interners;
import com.google.common.collect.Multimap;
import com.google.common.collect.Multiset;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.gpudra.controller.dra.WorkKey;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of the table of allowed imports that the modules of the controller do not hold yet. */
class ControllerArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.gpudra.controller");

  /** What needs no permission: the language, and annotations without behaviour. */
  private static Stream<String> always() {
    return Stream.of("java..", "org.jspecify..", "com.google.errorprone.annotations..");
  }

  @Test
  void packagesHaveNoCycle() {
    slices().matching("io.gpudra.controller.(*)..").should().beFreeOfCycles().check(MAIN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "loop.. | io.gpudra.process.. org.slf4j.. com.codahale.metrics..",
        "reason | io.gpudra.crds.model com.google.common..",
        "dra.. | io.gpudra.controller.reason io.gpudra.controller.loop.."
            + " io.gpudra.controller.memory io.gpudra.process io.gpudra.crds.model.."
            + " com.google.common.. org.slf4j..",
        "memory | com.google.common..",
        "allocation.. | io.gpudra.controller.reason "
            + "io.gpudra.controller.memory io.gpudra.crds.model.. io.gpudra.crds.handle.."
            + " io.gpudra.crds.usage.. com.google.common..",
        "gpu | io.gpudra.controller.reason "
            + "io.gpudra.controller.memory io.gpudra.controller.gpu.cel.."
            + " io.gpudra.controller.dra.. io.gpudra.controller.allocation.. io.gpudra.crds.."
            + " com.google.common..",
        "gpu.cel | io.gpudra.controller.memory io.gpudra.crds.model.. io.gpudra.crds.api.."
            + " com.google.common.. dev.cel.. com.google.re2j..",
        "gate | io.gpudra.controller.reason io.gpudra.controller.loop.."
            + " io.gpudra.controller.dra.. io.gpudra.controller.memory io.gpudra.crds.model.."
            + " com.google.common.. org.slf4j..",
        "gate.group | io.gpudra.controller.reason io.gpudra.controller.loop.."
            + " io.gpudra.controller.dra.. io.gpudra.controller.gate io.gpudra.controller.memory"
            + " io.gpudra.crds.model.. io.gpudra.crds.text com.google.common..",
        "group | io.gpudra.controller.reason io.gpudra.controller.loop"
            + " io.gpudra.controller.gate.group"
            + " io.gpudra.controller.allocation.. io.gpudra.controller.dra.."
            + " io.gpudra.controller.gpu io.gpudra.crds.model.. com.google.common..",
        "quota | io.gpudra.controller.reason io.gpudra.controller.allocation.."
            + " io.gpudra.crds.model.. io.gpudra.crds.usage.. io.gpudra.crds.api.quota"
            + " com.google.common..",
        "manifest | io.gpudra.controller.kube io.gpudra.controller.kube.mapping"
            + " io.gpudra.controller.gate io.gpudra.controller.client"
            + " io.gpudra.controller.client.watch io.gpudra.controller.dra.facts io.gpudra.crds.."
            + " com.google.common.. com.google.gson.. com.fasterxml.jackson.."
            + " io.kubernetes.client..",
        "access | io.gpudra.controller.manifest io.gpudra.controller.kube.."
            + " io.gpudra.controller.client.. io.gpudra.controller.dra.facts io.gpudra.crds.."
            + " com.google.common.. com.codahale.metrics..",
        "view.. | io.gpudra.controller.reason io.gpudra.controller.gate.. io.gpudra.controller.loop"
            + " io.gpudra.controller.group io.gpudra.controller.quota io.gpudra.controller.access"
            + " io.gpudra.controller.manifest io.gpudra.controller.snapshot"
            + " io.gpudra.controller.client.. io.gpudra.controller.kube.."
            + " io.gpudra.controller.gpu.. io.gpudra.controller.dra.."
            + " io.gpudra.controller.allocation.. io.gpudra.crds.. com.google.common..",
        "doctor.. | io.gpudra.controller.reason io.gpudra.controller.gate "
            + "io.gpudra.controller.access io.gpudra.controller.snapshot"
            + " io.gpudra.controller.view.. io.gpudra.controller.kube.."
            + " io.gpudra.controller.client.. io.gpudra.controller.gpu.. io.gpudra.controller.dra.."
            + " io.gpudra.crds.. com.google.common.. com.fasterxml.jackson.. org.yaml.snakeyaml..",
        "cli.. | io.gpudra.controller.reason io.gpudra.controller.access"
            + " io.gpudra.controller.quota"
            + " io.gpudra.controller.manifest io.gpudra.controller.snapshot"
            + " io.gpudra.controller.dashboard.. io.gpudra.controller.lint"
            + " io.gpudra.controller.lint.yaml io.gpudra.controller.translate"
            + " io.gpudra.controller.translate.migrate io.gpudra.controller.translate.convert"
            + " io.gpudra.controller.doctor.. io.gpudra.controller.view.."
            + " io.gpudra.controller.check.. io.gpudra.controller.kube.."
            + " io.gpudra.controller.client.. io.gpudra.controller.dra.."
            + " io.gpudra.controller.allocation.. io.gpudra.crds.. io.gpudra.process.."
            + " com.google.common.. com.fasterxml.jackson.. com.codahale.metrics.."
            + " io.kubernetes.client.util.. org.yaml.snakeyaml.. picocli.. javax.net.ssl.."
            + " com.sun.net.httpserver..",
        "check | io.gpudra.controller.reason "
            + "io.gpudra.controller.snapshot io.gpudra.controller.kube.."
            + " io.gpudra.controller.gpu.. io.gpudra.controller.dra.."
            + " io.gpudra.controller.allocation.. io.gpudra.controller.client.. io.gpudra.crds.."
            + " com.google.common.. com.fasterxml.jackson.databind..",
        "check.command | io.gpudra.controller.check io.gpudra.controller.snapshot"
            + " io.gpudra.controller.kube io.gpudra.controller.client.. io.gpudra.crds.."
            + " io.gpudra.process com.google.common.. com.fasterxml.jackson.databind.. picocli..",
        "translate.cel | io.gpudra.controller.gpu.cel io.gpudra.crds.api.. io.gpudra.crds.model.."
            + " com.google.common.. dev.cel..",
        "snapshot | io.gpudra.controller.kube io.gpudra.controller.kube.mapping"
            + " io.gpudra.controller.client.watch io.gpudra.controller.loop"
            + " io.gpudra.controller.quota io.gpudra.controller.gpu io.gpudra.controller.dra.facts"
            + " io.gpudra.controller.allocation io.gpudra.crds.. com.google.common..",
        "lint.yaml | io.gpudra.crds.api.problem.. com.google.common.."
            + " com.fasterxml.jackson.databind.. org.yaml.snakeyaml..",
        "lint.object | io.gpudra.controller.lint.yaml.. io.gpudra.controller.gpu"
            + " io.gpudra.controller.dra.facts.. io.gpudra.crds.api.. io.gpudra.crds.text"
            + " com.google.common.. com.fasterxml.jackson..",
        "lint | io.gpudra.controller.reason "
            + "io.gpudra.controller.lint.object.. io.gpudra.controller.lint.yaml.."
            + " io.gpudra.controller.manifest io.gpudra.controller.gpu io.gpudra.controller.dra.."
            + " io.gpudra.controller.allocation io.gpudra.controller.gate.."
            + " io.gpudra.controller.quota"
            + " io.gpudra.crds.. com.google.common.. com.fasterxml.jackson..",
        "translate | io.gpudra.controller.translate.cel io.gpudra.controller.lint"
            + " io.gpudra.controller.lint.yaml io.gpudra.controller.lint.object"
            + " io.gpudra.controller.gpu io.gpudra.controller.gpu.cel io.gpudra.crds.."
            + " com.google.common.. com.fasterxml.jackson..",
        "translate.migrate | io.gpudra.controller.translate io.gpudra.controller.translate.cel"
            + " io.gpudra.controller.lint.yaml io.gpudra.controller.lint.object"
            + " io.gpudra.controller.gpu io.gpudra.controller.gpu.cel io.gpudra.crds.."
            + " com.google.common.. com.fasterxml.jackson..",
        "translate.convert | io.gpudra.controller.translate io.gpudra.controller.translate.cel"
            + " io.gpudra.controller.translate.migrate"
            + " io.gpudra.controller.lint.yaml io.gpudra.controller.lint.object"
            + " io.gpudra.controller.gpu io.gpudra.controller.gpu.cel io.gpudra.crds.."
            + " com.google.common.. com.fasterxml.jackson..",
        "metrics.. | io.gpudra.controller.reason "
            + "io.gpudra.controller.allocation.. io.gpudra.controller.dra.."
            + " io.gpudra.controller.quota"
            + " io.gpudra.controller.loop.. io.gpudra.crds.model.. io.gpudra.crds.usage.."
            + " io.gpudra.process.. com.google.common.. com.codahale.metrics.. org.slf4j..",
        "dashboard.. | io.gpudra.controller.reason "
            + "io.gpudra.controller.access io.gpudra.controller.snapshot"
            + " io.gpudra.controller.allocation.ledger.. io.gpudra.controller.allocation"
            + " io.gpudra.controller.gpu io.gpudra.controller.view.. io.gpudra.controller.check.."
            + " io.gpudra.controller.kube.. io.gpudra.controller.client.."
            + " io.gpudra.controller.dra.. io.gpudra.crds.. io.gpudra.process.. com.google.common.."
            + " com.fasterxml.jackson.. io.netty.. org.slf4j..",
        "webhook | io.gpudra.controller.reason io.gpudra.controller.gate "
            + "io.gpudra.controller.webhook.. io.gpudra.controller.gpu"
            + " io.gpudra.controller.dra.. io.gpudra.controller.kube.mapping.."
            + " io.gpudra.controller.client.. io.gpudra.crds.. com.google.common.."
            + " com.google.gson.. io.kubernetes.client.. org.slf4j.. javax.net.ssl..",
        "webhook.server | com.google.common.. io.netty.. org.slf4j.. javax.net.ssl..",
        "webhook.certificate | io.gpudra.controller.client com.google.common.. com.google.gson.."
            + " org.bouncycastle.. org.slf4j.. javax.net.ssl..",
        "eviction.. | io.gpudra.controller.allocation.. io.gpudra.controller.dra.."
            + " io.gpudra.controller.loop io.gpudra.crds.model.. com.google.common.. org.slf4j..",
        "status | io.gpudra.controller.reason "
            + "io.gpudra.controller.memory io.gpudra.controller.gpu"
            + " io.gpudra.controller.gpu.cel.. io.gpudra.controller.allocation.."
            + " io.gpudra.controller.dra io.gpudra.controller.loop.. io.gpudra.crds.."
            + " com.google.common.. com.codahale.metrics..",
        "quota.status | io.gpudra.controller.quota io.gpudra.controller.loop.."
            + " io.gpudra.controller.dra io.gpudra.crds.. com.google.common..",
        "kube.. | io.gpudra.controller.reason "
            + "io.gpudra.controller.status.. io.gpudra.controller.eviction.."
            + " io.gpudra.controller.gate io.gpudra.controller.memory"
            + " io.gpudra.controller.allocation.request"
            + " io.gpudra.controller.client.. io.gpudra.controller.dra.. io.gpudra.controller.gpu"
            + " io.gpudra.controller.quota.. io.gpudra.controller.loop.. io.gpudra.crds.."
            + " com.google.common.. com.google.gson.."
            + " com.fasterxml.jackson.. com.codahale.metrics.. org.slf4j.. io.kubernetes.client..",
        "client.. | io.gpudra.controller.memory io.gpudra.process.. io.gpudra.crds.text.."
            + " com.google.common.. com.google.gson.. com.fasterxml.jackson.."
            + " com.codahale.metrics.. org.slf4j.. io.kubernetes.client.. okhttp3.. okio.."
            + " org.apache.commons.lang3.tuple..",
      })
  void aPackageUsesOnlyWhatItMay(String name, String allowed) {
    String self = "io.gpudra.controller." + name;
    classes()
        .that()
        .resideInAPackage(self)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            Stream.of(Stream.of(self), Stream.of(allowed.split(" ")), always())
                .flatMap(s -> s)
                .toArray(String[]::new))
        .check(MAIN);
  }

  /** Each of them has its columns, so that a new one is decided in one place. */
  @Test
  void nothingBranchesOverTheKindsOfReasons() {
    noFields()
        .should()
        .haveNameMatching(".SwitchMap.io.gpudra.controller.reason.UnsuitableReason.Kind")
        .check(MAIN);
  }

  @Test
  void theRoomsOfTheProtocolHaveNoCycle() {
    slices().matching("io.gpudra.controller.dra.(*)").should().beFreeOfCycles().check(MAIN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dra.facts | ",
        "dra | dra.facts",
        "dra.queue | dra.facts dra",
        "dra.events | dra.facts dra",
        "dra.allocator | dra.facts dra dra.queue dra.events",
        "dra.scheduling | dra.facts dra dra.queue dra.events dra.allocator",
        "dra.claims | dra.facts dra dra.queue dra.events dra.allocator dra.scheduling",
        "dra.engine | dra.facts dra dra.queue dra.events dra.allocator dra.scheduling dra.claims",
      })
  void aRoomOfTheProtocolSeesOnlyThoseAboveIt(String room, @Nullable String above) {
    String[] seen =
        Stream.concat(Stream.of(room), above == null ? Stream.of() : Stream.of(above.split(" ")))
            .map(name -> "io.gpudra.controller." + name)
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("io.gpudra.controller." + room)
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.gpudra.controller.dra..").and(not(resideInAnyPackage(seen))))
        .check(MAIN);
  }

  @Test
  void watchesAndElectionsKnowCallsAndNotEachOther() {
    String client = "io.gpudra.controller.client";
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("calls")
        .definedBy(client)
        .layer("watch")
        .definedBy(client + ".watch")
        .layer("election")
        .definedBy(client + ".election")
        .whereLayer("watch")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("election")
        .mayNotBeAccessedByAnyLayer()
        .check(MAIN);
  }

  @Test
  void theRoomsOfTheCoreLieOneAboveTheOther() {
    String core = "io.gpudra.controller.allocation";
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("ledgers")
        .definedBy(core)
        .layer("placement")
        .definedBy(core + ".placement..")
        .layer("search")
        .definedBy(core + ".search..")
        .layer("mig")
        .definedBy(core + ".mig..")
        .layer("refusal")
        .definedBy(core + ".refusal..")
        .layer("ledger")
        .definedBy(core + ".ledger..")
        .layer("request")
        .definedBy(core + ".request..")
        .whereLayer("ledgers")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("placement")
        .mayOnlyBeAccessedByLayers("ledgers")
        .whereLayer("search")
        .mayOnlyBeAccessedByLayers("ledgers", "placement")
        .whereLayer("mig")
        .mayOnlyBeAccessedByLayers("ledgers", "placement", "search")
        .whereLayer("refusal")
        .mayOnlyBeAccessedByLayers("ledgers", "placement", "search")
        .whereLayer("ledger")
        .mayOnlyBeAccessedByLayers("ledgers", "placement", "search", "refusal")
        .check(MAIN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"allocation", "group", "quota", "translate"})
  void theCoreHasNoClock(String room) {
    noClasses()
        .that()
        .resideInAPackage("io.gpudra.controller." + room + "..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.time.Clock")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(MAIN);
  }

  @Test
  void equalHashesOfWhatIsInternedAreBounded() {
    noClasses().should().callMethod(Interners.class, "newWeakInterner").check(MAIN);
  }

  /** A hash table with thousands of keys of one hash is a tree if the keys have an order. */
  @Test
  void keysWithNamesThatTenantsChooseHaveAnOrder() {
    assertThat(
            MAIN.stream()
                .filter(not(resideInAnyPackage("..lint..", "..translate..")))
                .flatMap(one -> one.getFields().stream())
                .filter(ControllerArchitectureTest::isTable)
                .flatMap(
                    table ->
                        ((JavaParameterizedType) table.getType())
                            .getActualTypeArguments().stream().limit(1))
                .map(JavaType::toErasure)
                .filter(ControllerArchitectureTest::isName)
                .filter(key -> !key.isAssignableTo(Comparable.class))
                .map(JavaClass::getName)
                .distinct())
        .isEmpty();
  }

  /** The server chooses UIDs. */
  private static boolean isName(JavaClass key) {
    return key.isAssignableTo(WorkKey.class)
        || (key.tryGetField("namespace").isPresent()
            && key.tryGetField("name").isPresent()
            && key.tryGetField("uid").isEmpty());
  }

  private static boolean isTable(JavaField field) {
    return field.getType() instanceof JavaParameterizedType
        && Stream.of(Map.class, Set.class, Multiset.class, Multimap.class)
            .anyMatch(table -> field.getRawType().isAssignableTo(table));
  }
}
