package io.gpudra.kubeletplugin.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.Iterables;
import io.gpudra.crds.model.node.Gpu;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FakeNodeProfileTest {

  private static List<Gpu> gpus(String profile, String node) {
    return new FakeDevices(FakeNodeProfile.parse(profile), node).gpus();
  }

  @ParameterizedTest
  @CsvSource({
    "latest,8,LATEST-GPU-MODEL,80,81920",
    "a100,8,NVIDIA A100-SXM4-80GB,80,81920",
    "a100:4,4,NVIDIA A100-SXM4-80GB,80,81920",
    "a100-40:2,2,NVIDIA A100-SXM4-40GB,40,40960",
    "h100,8,NVIDIA H100 80GB HBM3,80,81559",
    "t4,4,Tesla T4,16,15360",
  })
  void hasTheGpusOfItsName(
      String profile, int count, String product, long nominalGib, long memoryMib) {
    assertThat(gpus(profile, "n"))
        .hasSize(count)
        .allSatisfy(
            gpu -> {
              assertThat(gpu.model().productName()).isEqualTo(product);
              assertThat(gpu.model().nominalMemoryBytes()).isEqualTo(nominalGib << 30);
              assertThat(gpu.memoryBytes()).isEqualTo(memoryMib << 20);
            });
  }

  @Test
  void aMixedNodeHasTwoModels() {
    assertThat(gpus("mixed", "n"))
        .extracting(gpu -> gpu.model().architecture())
        .containsExactly(
            "Ampere", "Ampere", "Ampere", "Ampere", "Turing", "Turing", "Turing", "Turing");
  }

  @ParameterizedTest
  @ValueSource(strings = {"latest", "mixed", "a100:16"})
  void uuidsFollowFromTheNodeAndNeverRepeat(String profile) {
    List<Gpu> here = gpus(profile, "worker-1");

    assertThat(gpus(profile, "worker-1")).isEqualTo(here);
    assertThat(Iterables.concat(here, gpus(profile, "worker-2")))
        .extracting(Gpu::uuid)
        .doesNotHaveDuplicates()
        .allMatch(uuid -> uuid.matches("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
    assertThat(here).extracting(Gpu::pcieBusId).allMatch(id -> id.length() <= 12);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "v100", "a100:", "a100:0", "a100:17", "a100:x", ":4"})
  void namesTheAllowedProfilesForAnythingElse(String text) {
    assertThatThrownBy(() -> FakeNodeProfile.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("latest, a100, h100, t4, mixed");
  }

  /** They are in handles and checkpoints of clusters that run. */
  @ParameterizedTest
  @CsvSource({
    "latest,0,GPU-b8d9b054-a29e-320b-8d9c-62fb9fca9651",
    "a100,3,GPU-2cbebd37-f80f-3264-8597-02b4d38904e0",
    "h100,7,GPU-430ce5ab-482f-36d3-9c1c-14242915b9ae",
    "t4,1,GPU-238185e2-349b-3e1f-a7db-d7203a6e1d3a",
    "mixed,5,GPU-be4fce51-8aef-36a6-af84-ee7336b1cc21",
    "mixed:4,2,GPU-41d35066-d6a5-3d2b-b3d6-0339c467ac1f"
  })
  void uuidsAreThoseTheyEverWere(String profile, int index, String uuid) {
    assertThat(gpus(profile, "worker-1").get(index).uuid()).isEqualTo(uuid);
  }

  @Test
  void ofEachProductTheFirstOnesAreTakenAndMoreStandInFurtherDomains() {
    assertThat(gpus("mixed:4", "n"))
        .extracting(Gpu::pcieBusId)
        .containsExactly("0000:07:00.0", "0000:17:00.0", "0000:47:00.0", "0000:57:00.0");
    assertThat(gpus("a100:9", "n").get(8).pcieBusId()).isEqualTo("0001:07:00.0");
    assertThat(gpus("a100:9", "n").get(8).pcieRoot()).isEqualTo("pci0001:00");
    assertThat(FakeNodeProfile.parse("a100:9").links("n"))
        .singleElement()
        .matches(l -> l.gpuUuids().size() == 8);
    assertThat(FakeNodeProfile.parse("a100:16").links("n")).hasSize(2);
    assertThat(FakeNodeProfile.parse("dgx1:4").links("n")).hasSize(6);
    assertThat(FakeNodeProfile.parse("a100:1").links("n")).isEmpty();
  }

  @Test
  void aNodeCanBeAnExceptionByItsName() {
    FakeNodeProfiles profiles = FakeNodeProfiles.parse("latest,worker-1=mixed,worker-2=t4:2");

    assertThat(profiles.of("worker-0")).isEqualTo(FakeNodeProfile.parse("latest"));
    assertThat(profiles.of("worker-1")).isEqualTo(FakeNodeProfile.parse("mixed"));
    assertThat(profiles.of("worker-2")).isEqualTo(FakeNodeProfile.parse("t4:2"));
  }

  @ParameterizedTest
  @CsvSource({"'latest,mixed',NODE=PROFILE", "'latest,n=v100',h100", "'n=mixed',h100"})
  void anExceptionNeedsANodeAndAProfile(String text, String hint) {
    assertThatThrownBy(() -> FakeNodeProfiles.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(hint);
  }

  @Test
  void setsUpOnlyWhatExistsAndTakesItBack() throws IOException {
    FakeDevices devices = new FakeDevices(FakeNodeProfile.parse("t4"), "n");
    String uuid = devices.gpus().get(1).uuid();

    devices.setUp(uuid);
    assertThat(devices.ready()).containsExactly(uuid);
    devices.tearDown(uuid);
    devices.tearDown("GPU-unknown");

    assertThat(devices.ready()).isEmpty();
    assertThatThrownBy(() -> devices.setUp("GPU-unknown")).isInstanceOf(IOException.class);
  }
}
