package io.gpudra.scenarios.steps;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import io.gpudra.kubeletplugin.checkpoint.CheckpointStore;
import io.gpudra.kubeletplugin.device.GpuDevices;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A process dies at each of its writes or steps, and everything comes right all the same. */
class CrashMatrixTest {
  private static final String HALF_WRITTEN = "dies after adds the finalizer to ab/x";
  private static final String WEBHOOK = "refuses allocates ab/y";
  private static final String PREPARE_LOST = "loses the answer to prepare";
  private static final String UNPREPARE_LOST = "loses the answer to unprepare";

  private static final ImmutableSet<String> WRITES =
      ImmutableSet.of(
          "addFinalizer",
          "allocate",
          "deallocate",
          "removeFinalizer",
          "requestDeallocation",
          "apply",
          "lift");
  private static final ImmutableSet<String> STEPS =
      ImmutableSet.of(
          "setUp",
          "tearDown",
          "setMigMode",
          "makeGpuInstance",
          "destroyGpuInstance",
          "makeComputeInstance",
          "destroyComputeInstance",
          "setTimeSlice",
          "setComputeMode",
          "startMps",
          "stopMps",
          "write",
          "remove",
          "save");

  @BeforeAll
  static void quietly() {
    StepsCommand.silence();
  }

  /** Dies at each point of the life that nobody's death cuts short; says how many that were. */
  private static int dieEverywhere(
      CrashLife life, IntFunction<CrashPoint> crashes, ToIntFunction<CrashPoint> countPoints) {
    CrashPoint undisturbed = crashes.apply(-1);
    life.run(undisturbed);
    int points = countPoints.applyAsInt(undisturbed);
    IntStream.range(0, points).parallel().mapToObj(crashes).forEach(crash -> die(life, crash));
    return points;
  }

  private static int dieAtEveryWrite(CrashLife life, CrashPoint.Landing landing) {
    return dieEverywhere(life, write -> CrashPoint.atWrite(write, landing), CrashPoint::writes);
  }

  private static void die(CrashLife life, CrashPoint crash) {
    life.run(crash);
    assertThat(crash.died()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aControllerMayDieAtEveryWrite(CrashPoint.Landing landing) {
    assertThat(dieAtEveryWrite(CrashLife.WHOLE, landing)).isGreaterThan(15);
  }

  /** F36 to F42 of protocol.md. */
  @ParameterizedTest
  @EnumSource
  void aControllerMayDieAtEveryWriteForPodsAtGates(CrashPoint.Landing landing) {
    assertThat(dieAtEveryWrite(CrashLife.GATED, landing)).isGreaterThan(25);
  }

  @ParameterizedTest
  @EnumSource
  void aControllerMayDieAtEveryWriteForPodsBesideAQuota(CrashPoint.Landing landing) {
    assertThat(dieAtEveryWrite(CrashLife.LIMITED, landing)).isGreaterThan(15);
  }

  @ParameterizedTest
  @EnumSource
  void itsSuccessorMayDieToo(CrashPoint.Landing landing) {
    assertThat(atEveryWriteAfter(HALF_WRITTEN, landing)).isGreaterThan(5);
  }

  @ParameterizedTest
  @EnumSource
  void aControllerMayDieWhileItGivesUp(CrashPoint.Landing landing) {
    assertThat(atEveryWriteAfter(WEBHOOK, landing)).isGreaterThan(5);
  }

  private static int atEveryWriteAfter(String trouble, CrashPoint.Landing landing) {
    return dieEverywhere(
        CrashLife.WHOLE,
        write -> CrashPoint.atWrite(write, landing).with(trouble),
        CrashPoint::writesInTrouble);
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"GATED", "LIMITED"})
  void aPluginMayDieBeforeAndAfterEveryStep(CrashLife life) {
    assertThat(
            dieEverywhere(
                life,
                touch -> CrashPoint.atTouch(touch).with(PREPARE_LOST).with(UNPREPARE_LOST),
                CrashPoint::touches))
        .isGreaterThan(40);
  }

  @Test
  void everyWriteOfTheControllerHasACrashPoint() {
    Set<String> writes =
        Stream.of("io.gpudra.controller.dra", "io.gpudra.controller.gate")
            .flatMap(
                driver ->
                    calls(driver, WRITES, ClaimStore.class, ContextStore.class, GatedPods.class)
                        .stream())
            .collect(Collectors.toSet());
    assertThat(writes).hasSizeGreaterThanOrEqualTo(10);
    assertThat(reached(HALF_WRITTEN, WEBHOOK)).containsAll(writes);
  }

  @Test
  void everyStepOfPrepareAndUnprepareHasACrashPoint() {
    // What a start does first has its points in the plugin's own CrashTest.
    Set<String> steps =
        new TreeSet<>(
            calls(
                "io.gpudra.kubeletplugin.prepare",
                STEPS,
                GpuDevices.class,
                CdiSpecs.class,
                CheckpointStore.class));
    steps.removeIf(site -> site.startsWith("StartupRecovery."));
    assertThat(steps).hasSizeGreaterThanOrEqualTo(16);
    assertThat(reached(PREPARE_LOST, UNPREPARE_LOST)).containsAll(steps);
  }

  private static Set<String> reached(String... troubles) {
    Set<String> sites = new TreeSet<>();
    for (String trouble : troubles) {
      for (CrashLife life : CrashLife.values()) {
        CrashPoint crash = CrashPoint.none().with(trouble);
        life.run(crash);
        sites.addAll(crash.sites());
      }
    }
    return sites;
  }

  /** Lines that call one of these methods of these ports, read from the compiled code. */
  private static Set<String> calls(String driver, Set<String> methods, Class<?>... ports) {
    Set<String> sites = new TreeSet<>();
    new ClassFileImporter()
        .importPackages(driver).stream()
            .flatMap(found -> found.getMethodCallsFromSelf().stream())
            .filter(call -> methods.contains(call.getName()))
            .filter(call -> Stream.of(ports).anyMatch(call.getTargetOwner()::isAssignableTo))
            .map(CrashMatrixTest::site)
            .filter(site -> !site.contains("Test"))
            .forEach(sites::add);
    return sites;
  }

  private static String site(JavaMethodCall call) {
    String file = call.getOriginOwner().getSource().flatMap(Source::getFileName).orElseThrow();
    return CrashPoint.site(file, call.getLineNumber());
  }
}
