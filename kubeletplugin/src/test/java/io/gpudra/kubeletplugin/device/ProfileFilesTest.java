package io.gpudra.kubeletplugin.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFilesTest {

  private static final String OWN =
      """
      driverVersion: 550.1
      products:
      - name: a30
        productName: NVIDIA A30
        brand: Nvidia
        architecture: Ampere
        cudaComputeCapability: 8.0
        memory: 24576Mi
        capabilities: [mig]
        mig: Disabled
        migProfiles:
        - {profile: 2g.12gb, memory: 11.69Gi, compute: 2, size: 2, starts: [0, 2], most: 2}
      gpus:
      - product: a30
        pcieBusID: '0000:07:00.0'
        pcieRoot: 'pci0000:00'
        numaNode: 1
        mig: Enabled
        migDevices:
        - {profile: 2g.12gb, start: 0}
        - {profile: 2g.12gb, start: 2, foreign: true}
      - product: t4
      links:
      - {type: NVLink, lanes: 4, gpus: [0, 1]}
      """;

  @TempDir Path directory = Path.of("");

  private Path file(String yaml) throws IOException {
    return Files.writeString(directory.resolve("own.yaml"), yaml);
  }

  private FakeNodeProfile read(String yaml) throws IOException {
    return FakeNodeProfile.parse("@" + file(yaml));
  }

  @Test
  void aFileOfOnesOwnHasProductsOfItsOwnAndThoseThatAreShipped() throws IOException {
    FakeNodeProfile own = read(OWN);
    List<Gpu> gpus = own.gpus("n");
    Gpu a30 = gpus.get(0);

    assertThat(own.driverVersion()).isEqualTo("550.1");
    assertThat(own.cudaDriverVersion()).isEmpty();
    assertThat(a30.model())
        .isEqualTo(
            new GpuModel(
                "NVIDIA A30",
                "Nvidia",
                "Ampere",
                "8.0",
                24L << 30,
                ImmutableSortedSet.of("mig"),
                ImmutableList.of(
                    new MigProfile(
                        "2g.12gb", 12_552_041_922L, 2, 2, ImmutableSortedSet.of(0, 2), 2))));
    assertThat(a30.mig().mode()).isEqualTo(MigMode.ENABLED);
    assertThat(a30.mig().switchable()).isFalse();
    assertThat(a30.mig().devices())
        .extracting(MigState.Device::slice)
        .containsExactly(
            new Slice("2g.12gb", 0, 2, 2, Optional.empty()),
            new Slice("2g.12gb", 2, 2, 2, Optional.empty()));
    assertThat(a30.mig().devices())
        .extracting(MigState.Device::foreign)
        .containsExactly(false, true);
    assertThat(a30.mig().devices()).extracting(MigState.Device::uuid).doesNotHaveDuplicates();
    assertThat(a30.numaNode()).isEqualTo(1);
    assertThat(gpus.get(1)).isEqualTo(at("", "", -1, FakeNodeProfile.parse("t4").gpus("n").get(1)));
    assertThat(own.links("n"))
        .containsExactly(
            new GpuLink(ImmutableSet.of(a30.uuid(), gpus.get(1).uuid()), GpuLink.Type.NVLINK, 4));
  }

  private static Gpu at(String busId, String root, int numa, Gpu gpu) {
    return gpu.toBuilder().pcieBusId(busId).pcieRoot(root).numaNode(numa).build();
  }

  @Test
  void aFileServesOneNodeAmongOthers() throws IOException {
    FakeNodeProfiles profiles = FakeNodeProfiles.parse("latest,worker-1=@" + file(OWN));

    assertThat(profiles.of("worker-0")).isEqualTo(FakeNodeProfile.parse("latest"));
    assertThat(profiles.of("worker-1")).isEqualTo(read(OWN));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "memory: 24576Mi | memory: 24576 | products[0].memory: Invalid value: \"24576\": write a size with a unit, such as 16Gi or 512Mi",
        "memory: 24576Mi | memroy: 24576Mi | products[0].memroy: unknown field; known: architecture, attributes, brand, capabilities, cudaComputeCapability, memory, mig, migProfiles, migSwitchable, name, nominalMemory, productName",
        "memory: 24576Mi | x: &a [*a] | products[0].x: unknown field",
        "mig: Disabled | attributes: {colour: red} | products[0].attributes: Invalid value: {colour=red}: must be what GPUs report",
        "capabilities: [mig] | capabilities: mig | products[0].capabilities: wrong type",
        "capabilities: [mig] | capabilities: [~] | products[0].capabilities[0]: Required value",
        "mig: Disabled | mig: On | products[0].mig: Unsupported value: \"On\": supported values: Unsupported, Disabled, Enabled",
        "productName: NVIDIA A30 | productName: '' | products[0].productName: Required value",
        "most: 2} | most: 0} | products[0].migProfiles[0].most: Invalid value: 0: must be 1 to 64",
        "most: 2} | most: many} | products[0].migProfiles[0].most: wrong type",
        "starts: [0, 2] | starts: [0, 63] | products[0].migProfiles[0].starts[1]: Invalid value: 63: must be 0 to 62",
        "product: t4 | product: t5 | gpus[1].product: Unsupported value: \"t5\": supported values: latest, a100-40, a100-80, h100, h200, b200, v100, t4, l40s, a30",
        "mig: Enabled | mig: Disabled | gpus[0].migDevices: need mig: Enabled",
        "2g.12gb, start: 0 | 1g.6gb, start: 0 | gpus[0].migDevices[0].profile: Unsupported value: \"1g.6gb\": supported values: 2g.12gb",
        "start: 0} | start: 1} | gpus[0].migDevices[0].start: Unsupported value: \"1\": supported values: 0, 2",
        "start: 0} | start: 2} | gpus[0].migDevices: some overlap",
        "type: NVLink | type: nvlink | links[0].type: Unsupported value: \"nvlink\": supported values: NVLink, NVSwitch",
        "lanes: 4 | lanes: 65 | links[0].lanes: Invalid value: 65: must be 1 to 64",
        "[0, 1] | [0, 2] | links[0].gpus[1]: Invalid value: 2: must be 0 to 1",
        "[0, 1] | [0] | links[0].gpus: Invalid value: number of GPUs 1: must be 2 to 2",
        "[0, 1] | [1, 1] | links[0].gpus: something stands there twice",
        "driverVersion: 550.1 | driverVersion: [ | driverVersion: wrong type",
        "driverVersion: 550.1 | driverVersion: '1 | no YAML: ",
        "start: 0} | start: 0, start: 0} | gpus[0].migDevices[0]: Duplicate field 'start'",
      })
  void whatIsWrongIsNamedByFileAndPath(String good, String bad, String problem) throws IOException {
    assertThat(OWN).contains(good);

    Path damaged = file(OWN.replace(good, bad));
    assertThatThrownBy(() -> FakeNodeProfile.parse("@" + damaged))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("profile " + damaged + ": " + problem);
  }

  @Test
  void aFileThatIsEmptyOrNotThereIsNamed() throws IOException {
    Path empty = file("# nothing\n");
    assertThatThrownBy(() -> FakeNodeProfile.parse("@" + empty))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("profile " + empty + ": no YAML: No content");
    Path none = file("gpus: []\n");
    assertThatThrownBy(() -> FakeNodeProfile.parse("@" + none))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("profile " + none + ": gpus: Invalid value: number of GPUs 0: must be 1 to 16");
    assertThatThrownBy(() -> FakeNodeProfile.parse("@/no/such.yaml"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("profile /no/such.yaml cannot be read: ");
  }

  @Test
  void moreThanANodeCarriesIsTooMuch() throws IOException {
    Path crowd = file("gpus:\n" + "- {product: t4}\n".repeat(17));

    assertThatThrownBy(() -> FakeNodeProfile.parse("@" + crowd))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("gpus: Invalid value: number of GPUs 17: must be 1 to 16");
  }
}
