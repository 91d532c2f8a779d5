package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With files as the kubelet of 1.30 writes them. */
class RegisteredDevicesTest {
  private static final List<Gpu> GPUS = Parts.gpus(2);
  private static final String UUID = GPUS.get(1).uuid();

  @TempDir Path root = Path.of("");

  private Optional<ImmutableSet<String>> resources(String checkpoint) throws IOException {
    Path directory = Files.createDirectories(root.resolve("var/lib/kubelet/device-plugins"));
    Files.writeString(directory.resolve("kubelet_internal_checkpoint"), checkpoint);
    return RegisteredDevices.below(root, Path.of("/var/lib/kubelet")).resourcesOf(GPUS);
  }

  private static String registered(String devices) {
    return "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"u\",\"DeviceIDs\":{\"-1\":[\"%s\"]}}],"
            .formatted(UUID)
        + "\"RegisteredDevices\":{%s}},\"Checksum\":1}".formatted(devices);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s", // NVIDIA's
        "%s::3", // a replica of it
        "%s-3", // HAMi's and Volcano's
        "%s-_-3" // Alibaba's
      })
  void aResourceWithADeviceOfOurGpuIsFoundWhateverItIsCalled(String id) throws IOException {
    assertThat(
            resources(
                registered(
                    "\"rdma/hca\":[\"0\",\"1\"],\"acme.com/fast\":[\"x\",\"%s\"],\"b\":null"
                        .formatted(id.formatted(UUID)))))
        .contains(ImmutableSet.of("acme.com/fast"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no JSON",
        "null",
        "{}",
        "{\"Data\":null}",
        "{\"Data\":{\"RegisteredDevices\":[]}}",
        "{\"Data\":{\"RegisteredDevices\":{\"a\":[\"b\""
      })
  void aFileThatCannotBeUnderstoodTellsNothing(String checkpoint) throws IOException {
    assertThat(resources(checkpoint)).contains(ImmutableSet.of());
  }

  @Test
  void ofAFileThatIsNotReadToItsEndTheDevicesAreNotKnown() throws IOException {
    assertThat(
            resources(
                registered("\"a\":[\"%s\"],\"b\":[\"%s\"]".formatted("x".repeat(9 << 20), UUID))))
        .isEmpty();
  }

  @Test
  void withoutADevicePluginThereIsNoFile() {
    assertThat(RegisteredDevices.below(root, Path.of("/var/lib/kubelet")).resourcesOf(GPUS))
        .contains(ImmutableSet.of());
  }
}
