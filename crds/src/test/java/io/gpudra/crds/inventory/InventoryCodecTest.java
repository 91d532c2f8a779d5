package io.gpudra.crds.inventory;

import static io.gpudra.crds.testing.GpuModels.T4;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.Resources;
import com.google.gson.Gson;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.inventory.InventoryCodec.Publisher;
import io.gpudra.crds.inventory.InventoryCodec.Reading;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.kubernetes.client.openapi.JSON;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InventoryCodecTest {

  private static final String DRIVER = "gpu.resource.example.com";
  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
  private static final NodeState NODE = NodeFixture.ready("worker-1");
  private static final GpuModel A100 =
      GpuModels.capable(GpuModels.model("NVIDIA A100", "Nvidia", "Ampere", "8.0", 80), "mig");

  private static final Inventory INVENTORY =
      NodeFixture.node("worker-1")
          .gpus(ImmutableList.of(gpu(0, A100), gpu(1, T4), gpu(2, A100)))
          .prepared(
              new PreparedClaim(
                  new ClaimUid("u1"),
                  new ClaimRef("team-a", "train"),
                  ImmutableSet.of("GPU-0", "GPU-1", "GPU-lost"),
                  Optional.of(NOW)))
          .format(1)
          .inventory();

  private final Gson gson = JSON.createGson().create();

  private static Gpu gpu(int index, GpuModel model) {
    return new Gpu.Builder("GPU-" + index, index, model, model.nominalMemoryBytes() - 1)
        .minor(index + 10)
        .pcieBusId("0000:0" + index + ":00.0")
        .pcieRoot("pci0000:00")
        .mig(MigState.of(Gpu.MigMode.DISABLED))
        .build();
  }

  private static NodeInventoryStatus written(Inventory inventory) {
    return InventoryCodec.write(
        inventory,
        new Publisher(DRIVER, "0.1.0", "boot", 30),
        NOW,
        List.of(
            InventoryCodec.condition(InventoryCodec.READY, true, InventoryCodec.SERVING, "", NOW)));
  }

  private static Reading read(NodeInventoryStatus status) {
    return InventoryCodec.read(new NodeInventory(null, null, null, null, status), NODE, DRIVER);
  }

  private Reading read(String status) {
    return InventoryCodec.read(
        gson.fromJson("{\"status\":" + status + "}", NodeInventory.class), NODE, DRIVER);
  }

  @Test
  void whatIsWrittenIsReadEqually() {
    String onTheWire = gson.toJson(written(INVENTORY));

    assertThat(read(onTheWire)).isEqualTo(new Reading(INVENTORY, ImmutableList.of()));
  }

  /** Written by the version that knew whole GPUs only; its controllers read ours, and we theirs. */
  @Test
  void whatIsWrittenOfWholeGpusIsAsItEverWas() throws IOException {
    String golden =
        Resources.toString(
            Resources.getResource("inventories/whole-gpus.json"), StandardCharsets.UTF_8);

    assertThat(read(golden)).isEqualTo(new Reading(INVENTORY, ImmutableList.of()));
    assertThat(gson.toJson(written(INVENTORY)).replace("\"handleFormat\":1,", ""))
        .isEqualTo(golden);
  }

  @Test
  void peopleSeeCountsAndDevicesByName() {
    NodeInventoryStatus status = written(INVENTORY);

    assertThat(status.summary()).isEqualTo("2x NVIDIA A100, 1x Tesla T4");
    assertThat(status.gpus()).isEqualTo(3);
    assertThat(status.gpusInUse()).isEqualTo(2);
    assertThat(status.models()).hasSize(2);
    assertThat(status.preparedClaims())
        .singleElement()
        .extracting(NodeInventoryStatus.Prepared::devices)
        .isEqualTo(List.of("gpu-0", "gpu-1", "GPU-lost"));
    assertThat(status.heartbeat()).contains(NOW);
    assertThat(status.heartbeatInterval()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void theHeartbeatOfAStrangerIsBounded() {
    assertThat(status("{}").heartbeatInterval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(status("{\"heartbeatSeconds\":-5}").heartbeatInterval())
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(status("{\"heartbeatSeconds\":2147483647}").heartbeatInterval())
        .isEqualTo(Duration.ofHours(1));
    assertThat(status("{\"heartbeatTime\":\"now\"}").heartbeat()).isEmpty();
    assertThat(status("{\"heartbeatTime\":\"2026-11-21T10:00:00.5+02:00\"}").heartbeat())
        .contains(NOW.plusMillis(500));
  }

  private NodeInventoryStatus status(String json) {
    return gson.fromJson(json, NodeInventoryStatus.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"Stopped\"}] | Stopped",
        "[{\"type\":\"Ready\",\"status\":\"Unknown\",\"reason\":\"\"}] | Unknown",
        "[{\"type\":\"Ready\",\"reason\":\"Starting\"}] | Starting",
        "[null,{\"status\":\"True\"}] | Unknown",
        "[] | Unknown",
        "null | Unknown",
      })
  void onlyATrueReadyConditionServes(String conditions, String reason) {
    Reading reading =
        read("{\"driverName\":\"%s\",\"conditions\":%s}".formatted(DRIVER, conditions));

    assertThat(reading.inventory().service()).isEqualTo(new Service.NotReady(reason));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "null | ``",
        "{\"driverName\":\"other.example.com\"} | ``",
        "{\"gpus\":8} | status.driverName: Required value",
      })
  void withoutOurPluginAnInventoryIsAbsent(String status, String problem) {
    Reading reading = read(status);

    assertThat(reading.inventory().service()).isEqualTo(new Service.Absent());
    assertThat(reading.problems()).isEqualTo(problem.isEmpty() ? List.of() : List.of(problem));
  }

  private static final String GOOD =
      "{\"name\":\"gpu-7\",\"uuid\":\"GPU-7\",\"index\":7,\"model\":\"T4\",\"memory\":16106127360,\"mig\":\"Enabled\"}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "null | status.devices[0]: Required value",
        "{\"uuid\":\"u\",\"index\":1,\"model\":\"T4\",\"memory\":1,\"mig\":\"Enabled\"} |"
            + " status.devices[0].name: Required value",
        "{\"name\":\"a\",\"index\":1,\"model\":\"T4\",\"memory\":1,\"mig\":\"Enabled\"} |"
            + " status.devices[0].uuid: Required value",
        "{\"name\":\"a\",\"uuid\":\"u\",\"model\":\"T4\",\"memory\":1,\"mig\":\"Enabled\"} |"
            + " status.devices[0].index: Required value",
        "{\"name\":\"a\",\"uuid\":\"u\",\"index\":-1,\"model\":\"T4\",\"memory\":1,\"mig\":\"Enabled\"}"
            + " | status.devices[0].index: Invalid value: -1: must not be negative",
        "{\"name\":\"a\",\"uuid\":\"u\",\"index\":1,\"model\":\"T9\",\"memory\":1,\"mig\":\"Enabled\"}"
            + " | status.devices[0].model: Not found: \"T9\" is not listed in status.models",
        "{\"name\":\"a\",\"uuid\":\"u\",\"index\":1,\"memory\":1,\"mig\":\"Enabled\"} |"
            + " status.devices[0].model: Not found: \"\" is not listed in status.models",
        "{\"name\":\"a\",\"uuid\":\"u\",\"index\":1,\"model\":\"T4\",\"mig\":\"Enabled\"} |"
            + " status.devices[0].memory: Required value",
        "{\"name\":\"a\",\"uuid\":\"u\",\"index\":1,\"model\":\"T4\",\"memory\":-1,\"mig\":\"Enabled\"}"
            + " | status.devices[0].memory: Invalid value: -1: must not be negative",
        "{\"name\":\"a\",\"uuid\":\"u\",\"index\":1,\"model\":\"T4\",\"memory\":1,\"mig\":\"Switchable\"}"
            + " | status.devices[0].mig: Required value: one of Unsupported, Disabled, Enabled",
      })
  void aMalformedDeviceIsSkippedAlone(String device, String problem) {
    Reading reading =
        read(
            "{\"driverName\":\"%s\",\"models\":[null,{\"name\":\"T4\"}],\"devices\":[%s,%s]}"
                .formatted(DRIVER, device, GOOD));

    assertThat(reading.inventory().gpus()).extracting(Gpu::name).containsExactly("gpu-7");
    assertThat(reading.problems()).containsExactly("status.models[0]: Required value", problem);
  }

  @Test
  void whatMayBeAbsentHasADefault() {
    Gpu gpu =
        read("{\"driverName\":\"%s\",\"models\":[{\"name\":\"T4\"}],\"devices\":[%s]}"
                .formatted(DRIVER, GOOD))
            .inventory()
            .gpus()
            .get(0);

    assertThat(gpu)
        .isEqualTo(
            new Gpu.Builder("GPU-7", 7, GpuModels.model("T4", "", "", "", 16), 16_106_127_360L)
                .mig(GpuModels.enabled())
                .build());
  }

  @Test
  void aDeviceIsTakenOnceAndDevicesAreOrderedByIndex() {
    String first = GOOD.replace("7", "9");
    String sameName = GOOD.replace("GPU-7", "GPU-8");
    Reading reading =
        read(
            "{\"driverName\":\"%s\",\"models\":[{\"name\":\"T4\"},{\"name\":\"T4\"}],\"devices\":[%s,%s,%s,%s]}"
                .formatted(DRIVER, first, GOOD, GOOD, sameName));

    assertThat(reading.inventory().gpus()).extracting(Gpu::index).containsExactly(7, 9);
    assertThat(reading.problems())
        .containsExactly(
            "status.models[1]: Duplicate value: \"T4\"",
            "status.devices[2]: Duplicate value: \"GPU-7\"",
            "status.devices[3]: Duplicate value: \"gpu-7\"");
  }

  @Test
  void aPreparedClaimHoldsItsDevicesHoweverItIsListed() {
    Reading reading =
        read(
            """
            {"driverName":"%s","models":[{"name":"T4"}],"devices":[%s],"preparedClaims":[null,{},
             {"uid":"u1","namespace":"n","name":"c","devices":["gpu-7",null]},
             {"uid":"u1","namespace":"n","name":"c","devices":["GPU-8"],"orphanedSince":"2026-11-21T08:00:00Z"},
             {"uid":"u2","devices":null,"orphanedSince":"soon"}]}
            """
                .formatted(DRIVER, GOOD));

    assertThat(reading.inventory().prepared())
        .containsExactly(
            new PreparedClaim(
                new ClaimUid("u1"),
                new ClaimRef("n", "c"),
                ImmutableSet.of("GPU-7", "GPU-8"),
                Optional.of(NOW)),
            GrantFixture.prepared(new ClaimUid("u2"), new ClaimRef("", "")));
    assertThat(reading.problems())
        .containsExactly(
            "status.preparedClaims[0]: Required value",
            "status.preparedClaims[1].uid: Required value",
            "status.preparedClaims[3]: Duplicate value: \"u1\"",
            "status.preparedClaims[4].namespace: Required value",
            "status.preparedClaims[4].name: Required value",
            "status.preparedClaims[4].orphanedSince: Invalid value: \"soon\": no time");
  }

  @Test
  void theReasonForWhichContainersWaitIsCut() {
    PreparedClaim waits = INVENTORY.prepared().get(0).waiting(Optional.of("x".repeat(300)));
    Inventory inventory =
        NodeFixture.node("worker-1").gpus(INVENTORY.gpus()).prepared(waits).inventory();

    assertThat(read(written(inventory)).inventory().prepared().get(0))
        .isEqualTo(waits.waiting(Optional.of("x".repeat(255) + "…")));
  }

  @Test
  void aLongSummaryIsCut() {
    GpuModel wordy = GpuModels.model("x".repeat(128), "", "", "", 1);
    Inventory inventory =
        NodeFixture.node("worker-1").gpus(ImmutableList.of(gpu(0, wordy))).inventory();

    assertThat(written(inventory).summary()).hasSize(128).endsWith("…");
    assertThat(read(written(inventory)).inventory().gpus()).hasSize(1);
  }

  @Test
  void aLongMessageIsCutSinceTheServerWouldRefuseTheWholeStatus() {
    assertThat(
            InventoryCodec.condition(InventoryCodec.STATE_INTACT, false, "R", "x".repeat(4096), NOW)
                .message())
        .hasSize(2048)
        .endsWith("…");
  }
}
