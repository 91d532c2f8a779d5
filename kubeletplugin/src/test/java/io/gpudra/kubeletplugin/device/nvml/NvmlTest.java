package io.gpudra.kubeletplugin.device.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile.Placement;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NvmlTest {

  private static final ImmutableList<Gpu> A100 =
      new FakeDevices(FakeNodeProfile.parse("a100:2"), "worker-1").gpus();

  @TempDir Path directory = Path.of("");

  private StubDriver stub(int era) {
    return Stubs.driver(directory, era, A100, ImmutableList.of());
  }

  @Test
  void saysWhatIsWrongWithALibrary() throws IOException {
    Path broken = Files.writeString(directory.resolve("libnvidia-ml.so.1"), "no library");

    assertThatThrownBy(() -> Nvml.open(broken))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(broken + " cannot be loaded: ");
  }

  @Test
  void saysInTheDriversWordsWhyThereIsNoSession() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.faults("nvmlInitWithFlags * 18 1");

    assertThatThrownBy(() -> Nvml.open(stub.library()))
        .hasMessage("nvmlInitWithFlags: Driver/library version mismatch");
    stub.faults("nvmlInitWithFlags * 77 1");
    assertThatThrownBy(() -> Nvml.open(stub.library()))
        .isInstanceOfSatisfying(
            NvmlException.class, e -> assertThat(e.answer()).isEqualTo(NvmlReturn.UNKNOWN));
  }

  @Test
  void aFunctionThatTheDriverLacksIsAnAnswer() throws IOException {
    try (Nvml driver = Nvml.open(stub(450).library())) {
      NvmlGpu gpu = driver.gpus().get(0);

      assertThat(gpu.mig().mode()).contains(new NvmlMig.Mode(false, false));
      assertThat(gpu.mig().profiles()).as("it does not tell where").isEmpty();
    }
  }

  @Test
  void aHandleDiesWithTheSwitchOfTheMode() throws IOException {
    Gpu switchable = A100.get(0);
    StubDriver stub = stub(StubDriver.NEWEST);
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlGpu before = driver.gpus().get(0);
      before.mig().switchTo(true);

      assertThatExceptionOfType(NvmlException.class)
          .isThrownBy(before::name)
          .satisfies(e -> assertThat(e.answer()).isEqualTo(NvmlReturn.INVALID_ARGUMENT));
      assertThat(driver.gpus().get(0).uuid()).isEqualTo(switchable.uuid());
    }
  }

  @Test
  void aSwitchThatWaitsForAResetHasFailed() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.set(A100.get(0).uuid(), "needs_reset", 1);
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlMig mig = driver.gpus().get(0).mig();

      assertThatThrownBy(() -> mig.switchTo(true))
          .hasMessage("nvmlDeviceSetMigMode: GPU requires reset");
      assertThat(mig.mode())
          .as("the next reset, whenever that is, switches nothing")
          .contains(new NvmlMig.Mode(false, false));
    }
  }

  @Test
  void aSwitchOfAGpuInUseHasFailed() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.set(A100.get(0).uuid(), "in_use", 1);
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThatThrownBy(() -> driver.gpus().get(0).mig().switchTo(true))
          .hasMessage("nvmlDeviceSetMigMode: In use by another client");
    }
  }

  @Test
  void leavesOutAGpuThatIsLost() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.set(A100.get(0).uuid(), "lost", 1);
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(driver.gpus()).extracting(NvmlGpu::index).containsExactly(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 9, 17, 18})
  void aLibraryThatReachesNoDriverIsNoMatterOfOneGpu(int answer) throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.faults("nvmlDeviceGetHandleByIndex_v2 %s %d 1".formatted(A100.get(0).uuid(), answer));
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThatThrownBy(driver::gpus).hasMessageStartingWith("nvmlDeviceGetHandleByIndex: ");
    }
  }

  @Test
  void aGpuThatFellIsFoundByAFreshSessionAfterAReset() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlGpu fallen = driver.gpus().get(0);
      stub.set(A100.get(0).uuid(), "lost", 1);
      stub.set(A100.get(0).uuid(), "lost", 0);

      assertThatExceptionOfType(NvmlException.class)
          .isThrownBy(fallen::name)
          .satisfies(e -> assertThat(e.answer()).isEqualTo(NvmlReturn.GPU_IS_LOST));
      assertThat(driver.gpus()).hasSize(1);
    }
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(driver.gpus()).hasSize(2);
    }
  }

  @Test
  void aSessionCountsTheGpusThatWereThereWhenItBegan() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.set(A100.get(1).uuid(), "absent", 1);
    try (Nvml driver = Nvml.open(stub.library())) {
      stub.set(A100.get(1).uuid(), "absent", 0);
      assertThat(driver.count()).isEqualTo(1);
    }
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(driver.count()).isEqualTo(2);
    }
  }

  @Test
  void whatAGpuSaidBeforeItFellIsHeardAndThenThatOneFell() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    String fallen = A100.get(0).uuid();
    try (Nvml driver = Nvml.open(stub.library());
        NvmlEvents events = NvmlEvents.of(driver)) {
      for (NvmlGpu gpu : driver.gpus()) {
        assertThat(events.listenTo(gpu)).isTrue();
      }
      stub.tell(fallen, 8, 79);
      stub.set(fallen, "lost", 1);

      assertThat(events.await(Duration.ZERO))
          .contains(new NvmlEvents.Event.Xid(fallen, 79, Optional.empty()));
      assertThat(events.await(Duration.ZERO)).contains(new NvmlEvents.Event.EventsLost());
    }
  }

  @Test
  void aGpuIsHeardUnderAnotherHandleToo() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    String uuid = A100.get(0).uuid();
    try (Nvml driver = Nvml.open(stub.library());
        NvmlEvents events = NvmlEvents.of(driver)) {
      NvmlGpu gpu = driver.gpus().get(0);
      assertThat(events.listenTo(gpu)).isTrue();
      gpu.mig().switchTo(true);
      stub.tell(uuid, 8, 79);

      assertThat(events.await(Duration.ZERO))
          .contains(new NvmlEvents.Event.Xid(uuid, 79, Optional.empty()));
    }
  }

  @Test
  void anA30HasNumbersOfItsOwn() throws IOException {
    StubDriver stub =
        Stubs.driver(
            directory, StubDriver.NEWEST, ImmutableList.of(Parts.a30()), ImmutableList.of());
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(driver.gpus().get(0).mig().profiles())
          .extracting(GpuInstanceProfile::id)
          .containsExactly(14, 5, 0);
    }
  }

  private static NvmlGpu only(Nvml driver) throws NvmlException {
    return driver.gpus().get(0);
  }

  private StubDriver hopper() {
    return Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(1), ImmutableList.of());
  }

  private static NvmlMig enabled(Nvml driver) throws NvmlException {
    driver.gpus().get(0).mig().switchTo(true);
    return driver.gpus().get(0).mig();
  }

  /** Of the profile with the most slices. */
  private static NvmlGpuInstance whole(NvmlMig mig) throws NvmlException {
    GpuInstanceProfile profile =
        mig.profiles().stream()
            .max(Comparator.comparingInt(GpuInstanceProfile::compute))
            .orElseThrow();
    mig.make(profile, profile.placements().get(0));
    return mig.instances(profile).get(0);
  }

  @Test
  void aComputeInstanceIsKnownByItsKindAndStartWhateverItsSizeIsIn() throws IOException {
    try (Nvml driver = Nvml.open(hopper().library())) {
      NvmlGpuInstance instance = whole(enabled(driver));
      instance.make(new Placement(4, 3));
      instance.make(new Placement(2, 1));

      assertThat(instance.computes())
          .extracting(NvmlGpuInstance.Compute::place)
          .containsExactlyInAnyOrder(new Placement(4, 3), new Placement(2, 1));
    }
  }

  @Test
  void aPartStartsWhereTheDriverSays() throws IOException {
    try (Nvml driver = Nvml.open(hopper().library())) {
      NvmlGpuInstance instance = whole(enabled(driver));

      assertThatThrownBy(() -> instance.make(new Placement(3, 3)))
          .hasMessage(
              "nvmlGpuInstanceGetComputeInstancePossiblePlacements: 3c.7g cannot start at 3, only"
                  + " at [0, 4]: Invalid Argument");
    }
  }

  @Test
  void aPartOfOneSliceTakesNoRoomOfTwo() throws IOException {
    try (Nvml driver = Nvml.open(hopper().library())) {
      NvmlGpuInstance instance = whole(enabled(driver));
      for (int start = 0; start < 7; start++) {
        instance.make(new Placement(start, 1));
      }

      assertThat(instance.computes()).hasSize(7);
    }
  }

  @Test
  void processesAreReadWhereABranchHasLargerEntries() throws IOException {
    StubDriver stub = stub(535);
    stub.set(A100.get(0).uuid(), "process", 1000);
    stub.set(A100.get(0).uuid(), "more_processes", 2);
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(only(driver).processes()).containsExactly(1000, 1001, 1002);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {450, 470, 525, 550})
  void allProcessesAreToldHoweverManyThereAre(int era) throws IOException {
    StubDriver stub = stub(era);
    stub.set(A100.get(0).uuid(), "process", 1000);
    stub.set(A100.get(0).uuid(), "more_processes", 199);
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(only(driver).processes())
          .containsExactlyElementsOf(IntStream.range(1000, 1200).boxed().toList());
    }
  }

  @Test
  void aLinkThatTellsNothingHidesNoOther() throws IOException {
    FakeDevices told = new FakeDevices(FakeNodeProfile.parse("a100:2"), "worker-1");
    StubDriver stub = Stubs.driver(directory, StubDriver.NEWEST, told.gpus(), told.links());
    try (Nvml driver = Nvml.open(stub.library())) {
      int links = only(driver).links().size();
      stub.set(A100.get(0).uuid(), "dark_link", 1);

      assertThat(links).isPositive();
      assertThat(only(driver).links()).hasSize(links - 1);
    }
  }

  @Test
  void aProfileThatTheDriverDoesNotPlaceHidesNoOther() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlMig mig = only(driver).mig();
      int profiles = mig.profiles().size();
      stub.faults(
          "nvmlDeviceGetGpuInstancePossiblePlacements_v2 %s 2 1".formatted(A100.get(0).uuid()));

      assertThat(mig.profiles()).hasSize(profiles - 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 999})
  void aFailureIsNotTheEndOfTheProfiles(int answer) throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlMig mig = only(driver).mig();
      stub.faults(
          "nvmlDeviceGetGpuInstanceProfileInfo %s %d 1".formatted(A100.get(0).uuid(), answer));

      assertThatThrownBy(mig::profiles)
          .hasMessageStartingWith("nvmlDeviceGetGpuInstanceProfileInfo: ");
      assertThat(mig.profiles()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nvmlDeviceGetMigDeviceHandleByIndex,2",
    "nvmlDeviceGetGpuInstanceId,6",
    "nvmlDeviceGetGpuInstanceId,2",
    "nvmlDeviceGetComputeInstanceId,6"
  })
  void aHandleOfAMigDeviceThatIsGoneHidesNoOther(String function, int answer) throws IOException {
    StubDriver stub = hopper();
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlMig mig = enabled(driver);
      NvmlGpuInstance instance = whole(mig);
      instance.make(new Placement(0, 1));
      instance.make(new Placement(1, 1));
      stub.faults("%s GPU-0 %d 1".formatted(function, answer));

      assertThat(mig.devices()).hasSize(function.endsWith("Index") ? 2 : 1);
      assertThat(mig.devices()).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0000:07:00.0", "00ab:07:00.0", "10000:07:00.0"})
  void theKernelsSpellingOfADomainHasAsManyDigitsAsItTakes(String busId) throws IOException {
    StubDriver stub =
        Stubs.driver(
            directory,
            StubDriver.NEWEST,
            ImmutableList.of(Parts.at(busId, Parts.gpus(1).get(0))),
            ImmutableList.of());
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(only(driver).pcieBusId()).isEqualTo(busId);
    }
  }

  @Test
  void nothingWorksAfterTheSession() throws IOException {
    Nvml driver = Nvml.open(stub(StubDriver.NEWEST).library());
    driver.close();

    assertThatThrownBy(driver::driverVersion)
        .hasMessage("nvmlSystemGetDriverVersion: Uninitialized");
  }

  @Test
  void aSessionThatIsEndedTwiceEndsNoOther() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    try (Nvml other = Nvml.open(stub.library())) {
      Nvml session = Nvml.open(stub.library());
      session.close();
      session.close();

      assertThat(other.gpus()).isNotEmpty();
    }
  }
}
