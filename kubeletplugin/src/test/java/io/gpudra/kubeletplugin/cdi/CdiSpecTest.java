package io.gpudra.kubeletplugin.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Streams;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CdiSpecTest {

  private static final CdiNames NAMES = new CdiNames("gpu.resource.example.com");
  private static final ClaimUid UID = new ClaimUid("7d0c2f4a-9d2b-4d6e-8f35-1b6a5f0c9e11");

  private static CdiSpec whole(ClaimUid claim, List<Gpu> gpus) {
    return CdiSpec.of(
        NAMES,
        "worker-1",
        claim,
        gpus.stream()
            .map(
                gpu ->
                    new InjectedDevice(gpu, new GrantedDevice(gpu.name(), gpu.uuid()), gpu.uuid()))
            .toList());
  }

  /** Run with {@code -Dgolden.update=true} to write the files anew, then read the difference. */
  @ParameterizedTest
  @CsvSource({"one-latest.json,latest,1", "two-a100.json,a100:4,2", "mixed.json,mixed:2,2"})
  void line34MatchesTheGoldenFile(String file, String profile, int count) throws IOException {
    List<Gpu> gpus =
        new FakeDevices(FakeNodeProfile.parse(profile), "worker-1").gpus().subList(0, count);
    String written = new String(whole(UID, gpus).toJson(), UTF_8);
    Path golden = Path.of("src/test/resources/cdi", file);
    if (Boolean.getBoolean("golden.update")) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, written);
    }

    assertThat(written).isEqualTo(Files.readString(golden));
  }

  /** The reader is strict (protocol.md 5.3): one unknown field makes the whole file invalid. */
  @ParameterizedTest
  @ValueSource(strings = {"latest", "a100:4", "mixed:2"})
  void line34HasExactlyTheFieldsAndNamesThatTheSchemaKnows(String profile) throws IOException {
    List<Gpu> gpus = new FakeDevices(FakeNodeProfile.parse(profile), "worker-1").gpus();
    JsonNode root = new JsonMapper().readTree(whole(UID, gpus).toJson());

    assertThat(root.fieldNames()).toIterable().containsExactly("cdiVersion", "kind", "devices");
    assertThat(root.path("kind").asText())
        .matches("[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]/[A-Za-z][A-Za-z0-9_-]*[A-Za-z0-9]");
    assertThat(root.path("devices")).hasSize(1);
    JsonNode device = root.path("devices").path(0);
    assertThat(device.fieldNames()).toIterable().containsExactly("name", "containerEdits");
    assertThat(device.path("name").asText()).matches("[A-Za-z][A-Za-z0-9_.:-]*[A-Za-z0-9]");
    assertThat(device.path("containerEdits").fieldNames()).toIterable().containsExactly("env");
    assertThat(device.path("containerEdits").path("env"))
        .as("at least one edit")
        .isNotEmpty()
        .allSatisfy(entry -> assertThat(entry.textValue()).matches("[A-Z][A-Z0-9_]*=.*"));
  }

  @ParameterizedTest
  @CsvSource({
    "k8s.a.b/claim,claim-1,0.3.0",
    "k8s.a.b/claim,1-claim,0.5.0",
    "k8s.a.b/claim.x,claim-1,0.6.0",
    "k8s.a.b/claim.x,1-claim,0.6.0"
  })
  void line34DeclaresTheLowestVersionThatFits(String kind, String device, String version) {
    CdiSpec spec = new CdiSpec(kind, device, ContainerEdits.environment(ImmutableMap.of("A", "b")));

    assertThat(spec.version()).isEqualTo(version);
  }

  @Test
  void leavesNoWayToInjectMoreThanGranted() {
    String json =
        new String(
            whole(
                    UID,
                    new FakeDevices(FakeNodeProfile.parse("latest"), "worker-1")
                        .gpus()
                        .subList(2, 3))
                .toJson(),
            UTF_8);

    assertThat(json)
        .contains("GPU_DEVICE_2=gpu-2", "GPU_DEVICE_2_UUID=GPU-")
        .doesNotContain("GPU_DEVICE_0", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES");
  }

  @Test
  void twoClaimsInOneContainerHideNoGpuOfEachOther() throws IOException {
    List<Gpu> gpus = new FakeDevices(FakeNodeProfile.parse("a100:4"), "worker-1").gpus();

    assertThat(devices("u1", gpus.subList(0, 2))).containsExactly("GPU_DEVICE_0", "GPU_DEVICE_1");
    assertThat(devices("u2", gpus.subList(2, 3))).containsExactly("GPU_DEVICE_2");
  }

  private static List<String> devices(String uid, List<Gpu> gpus) throws IOException {
    JsonNode spec = new JsonMapper().readTree(whole(new ClaimUid(uid), gpus).toJson());
    return Streams.stream(spec.at("/devices/0/containerEdits/env"))
        .map(entry -> entry.textValue().replaceFirst("=.*", ""))
        .filter(name -> name.matches("GPU_DEVICE_[0-9]+"))
        .toList();
  }
}
