package io.gpudra.crds.inventory;

import static io.gpudra.crds.testing.GrantFixture.migDevice;
import static io.gpudra.crds.testing.GrantFixture.part;
import static io.gpudra.crds.testing.Taints.taint;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.inventory.InventoryCodec.Publisher;
import io.gpudra.crds.inventory.InventoryCodec.Reading;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import io.kubernetes.client.openapi.JSON;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GPUs of which there is more to say than that they are there. */
class CutGpusTest {

  private static final String DRIVER = "gpu.resource.example.com";
  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
  private static final NodeState NODE = NodeFixture.ready("worker-1");
  private static final GpuModel A100 =
      GpuModels.cut(
          GpuModels.capable(
              GpuModels.model("NVIDIA A100-SXM4-40GB", "Nvidia", "Ampere", "8.0", 40), "mig"),
          GpuModels.sized(4_864L << 20, GpuModels.profile("1g.5gb", 1, 1, 7, 0, 1, 2, 3)),
          GpuModels.sized(9_856L << 20, GpuModels.profile("2g.10gb", 2, 2, 3, 0, 2, 4)));
  private static final Slice SLICE = new Slice("2g.10gb", 4, 2, 2, Optional.empty());

  private static final MigState.Device ILL =
      migDevice("MIG-d", slice(3))
          .with(
              ImmutableList.of(
                  taint(DRIVER + "/ecc", "3", Effect.NO_EXECUTE, "double-bit ECC error", NOW)));

  private static final Inventory INVENTORY =
      NodeFixture.node("worker-1")
          .gpus(ImmutableList.of(gpu(0), gpu(1), gpu(2)))
          .mig(2, ILL)
          .change(
              0,
              gpu ->
                  gpu.with(
                      new MigState(
                          MigMode.ENABLED,
                          /* switchable= */ true,
                          ImmutableList.of(
                              migDevice("MIG-a", SLICE, new ClaimUid("u1")),
                              migDevice("MIG-b", slice(0)),
                              migDevice("MIG-c", slice(1), true)))))
          .taint(0, taint(DRIVER + "/xid", "79", Effect.NO_EXECUTE, "fell off the bus", NOW))
          .taint(1, Taints.noSchedule(DRIVER + "/unmonitored"))
          .linked(2, 0, 1)
          .links(new GpuLink(ImmutableSet.of("GPU-0", "GPU-1", "GPU-2"), GpuLink.Type.NVSWITCH, 12))
          .prepared(
              claim("u1", part("GPU-0", SLICE)),
              claim(
                  "u2",
                  part(
                      "GPU-1",
                      new Part.Share(4L << 30, 500),
                      new SharingStrategy.Mps(OptionalInt.of(50), OptionalLong.of(1L << 30))),
                  GrantedPart.whole("GPU-lost")),
              claim("u3", GrantedPart.whole("GPU-2")))
          .inventory();

  private final Gson gson = JSON.createGson().create();

  private static Gpu gpu(int index) {
    return GpuModels.gpu("GPU-" + index, index, A100).toBuilder()
        .numaNode(0)
        .attributes(AttributeValues.parse(ImmutableMap.of("pcieDeviceID", "20b0")))
        .mig(GpuModels.enabled())
        .build();
  }

  private static Slice slice(int start) {
    return new Slice("1g.5gb", start, 1, 1, Optional.empty());
  }

  private static PreparedClaim claim(String uid, GrantedPart... parts) {
    return GrantFixture.prepared(new ClaimUid(uid), new ClaimRef("n", uid), parts);
  }

  private String written() {
    return written(INVENTORY);
  }

  private String written(Inventory inventory) {
    return gson.toJson(
        InventoryCodec.write(
            inventory,
            new Publisher(DRIVER, "0.1.0", "boot", 30),
            NOW,
            List.of(
                InventoryCodec.condition(
                    InventoryCodec.READY, true, InventoryCodec.SERVING, "", NOW))));
  }

  private Reading read(String spec, String status) {
    return InventoryCodec.read(
        gson.fromJson("{\"spec\":%s,\"status\":%s}".formatted(spec, status), NodeInventory.class),
        NODE,
        DRIVER);
  }

  @Test
  void whatIsWrittenIsReadEqually() {
    assertThat(read("null", written())).isEqualTo(new Reading(INVENTORY, ImmutableList.of()));
  }

  @Test
  void anAttributeOfANewerPluginIsSkipped() {
    String newer = written().replace("\"pcieDeviceID\":", "\"colour\":");
    Reading reading = read("null", newer);

    assertThat(newer).contains("\"attributes\":{\"colour\":\"20b0\"}");
    assertThat(reading.problems()).isEmpty();
    assertThat(reading.inventory().gpus())
        .hasSize(3)
        .extracting(Gpu::attributes)
        .containsOnly(AttributeValues.NONE);
  }

  @Test
  void thoseWhoKnowWholeGpusOnlyReadNamesOfGpus() {
    assertThat(written())
        .contains(
            "{\"uid\":\"u1\",\"namespace\":\"n\",\"name\":\"u1\",\"devices\":[\"gpu-0\"],"
                + "\"parts\":[{\"parent\":\"GPU-0\",\"profile\":\"2g.10gb\",\"at\":[4,2],\"compute\":2}]}")
        .contains("{\"uid\":\"u3\",\"namespace\":\"n\",\"name\":\"u3\",\"devices\":[\"gpu-2\"]}")
        .contains("\"gpusInUse\":3,\"gpusTainted\":3,")
        .contains("\"handleFormat\":2,");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"MIG-b\" | \"\" | devices[0].migDevices[1].uuid: Required value",
        "{\"uuid\":\"MIG-b\" | null,{\"uuid\":\"MIG-b\" | devices[0].migDevices[1]: Required value",
        "/ecc\",\"value\":\"3\",\"effect\":\"NoExecute | /ecc\",\"effect\":\"Gone |"
            + " devices[2].migDevices[0].taints[0].effect: Not found: \"Gone\" is not one of"
            + " NoSchedule, NoExecute",
        "{\"key\":\"gpu.resource.example.com/ecc\" | {\"key\":\"\" |"
            + " devices[2].migDevices[0].taints[0].key: Required value",
        "{\"key\":\"gpu.resource.example.com/xid\" | {\"key\":\"\" | devices[0].taints[0].key:"
            + " Required value",
        "\"NoExecute\" | \"PreferNoSchedule\" | devices[0].taints[0].effect: Not found:"
            + " \"PreferNoSchedule\" is not one of NoSchedule, NoExecute",
        "\"timeAdded\":\"2026 | \"timeAdded\":\"x2026 | devices[0].taints[0].timeAdded: Invalid"
            + " value: \"x2026-11-21T08:00:00Z\": no time",
        "\"1g.5gb\",\"memory\" | \"\",\"memory\" | models[0].migProfiles[0].profile: Required"
            + " value",
        "\"memory\":5100273664 | \"memory\":0 | models[0].migProfiles[0].memory: Invalid value: 0:"
            + " must be at least 1",
        "\"most\":7 | \"most\":-7 | models[0].migProfiles[0].most: Invalid value: -7: must be at"
            + " least 1",
        "[0,1,2,3] | [0,1,-2,null,3] | models[0].migProfiles[0].starts[2]: Invalid value: -2: must"
            + " not be negative",
        "\"2g.10gb\",\"memory\" | \"1g.5gb\",\"memory\" | models[0].migProfiles[1]: Duplicate"
            + " value: \"1g.5gb\"",
        "\"NVLink\" | \"NVLink5\" | links[0].type: Not found: \"NVLink5\" is not one of NVLink,"
            + " NVSwitch",
        "\"lanes\":2 | \"lanes\":0 | links[0].lanes: Invalid value: 0: must be at least 1",
        "\"compute\":2}] | \"compute\":0}] | preparedClaims[0].parts[0].compute: Invalid value: 0:"
            + " must be 1 to 64",
        "\"parts\":[{\"parent\" | \"parts\":[null,{\"parent\" | preparedClaims[0].parts[0]:"
            + " Required value",
      })
  void whatIsMalformedIsNamed(String good, String bad, String problem) {
    assertThat(written()).contains(good);

    String damaged = written().replaceFirst(Pattern.quote(good), bad);
    assertThat(read("null", damaged).problems()).contains("status." + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"profile\":\"1g.5gb\",\"start\":1 | \"profile\":\"8g.1gb\",\"start\":1",
        "\"profile\":\"1g.5gb\",\"start\":1 | \"profile\":\"1g.5gb\",\"start\":-1",
        "\"profile\":\"1g.5gb\",\"start\":1 | \"profile\":\"1g.5gb\"",
        "\"start\":1,\"size\":1 | \"start\":1",
        "\"MIG-b\",\"profile\":\"1g.5gb\" | \"MIG-b\",\"claimUID\":\"u9\",\"profile\":\"8g.1gb\"",
        "\"1g.5gb\",\"memory\" | \"1g.6gb\",\"memory\"",
        "\"start\":1,\"size\":1 | \"start\":5,\"size\":1",
      })
  void besideAMigDeviceThatCannotBePlacedNothingFits(String good, String bad) {
    assertThat(written()).contains(good);

    Gpu gpu = read("null", written().replace(good, bad)).inventory().gpus().get(0);

    GpuUsage usage = GpuUsage.of(GpuShape.of(gpu), ImmutableList.of());
    for (Part part :
        List.of(
            new Part.Whole(),
            new Part.Share(1, 0),
            SLICE,
            slice(2),
            slice(3),
            slice(0),
            slice(1))) {
      assertThat(usage.fits(new PartHolding(new ClaimUid("x"), part("GPU-0", part)))).isFalse();
    }
  }

  @Test
  void aMigDeviceThatCannotBePlacedKeepsItsTaints() {
    String unknown = written().replace("\"MIG-d\",\"profile\":\"1g.5gb\"", "\"MIG-d\"");
    MigState mig = read("null", unknown).inventory().gpus().get(2).mig();

    assertThat(mig.devices().get(0).foreign()).isTrue();
    assertThat(mig.devices().get(0).taints()).isEqualTo(ILL.taints());
  }

  @Test
  void aClaimWithAPartThatCannotBeReadHoldsItsGpusWhole() {
    String damaged =
        written().replace("\"parts\":[{\"parent\"", "\"parts\":[{\"uuid\":\"\"},{\"parent\"");

    assertThat(read("null", damaged).inventory().prepared().get(0))
        .isEqualTo(claim("u1", GrantedPart.whole("GPU-0")));
  }

  @Test
  void aGpuThatNoPartIsOfIsHeldWhole() {
    String more = written().replace("\"devices\":[\"gpu-0\"]", "\"devices\":[\"gpu-0\",\"gpu-2\"]");

    assertThat(read("null", more).inventory().prepared().get(0))
        .isEqualTo(claim("u1", part("GPU-0", SLICE), GrantedPart.whole("GPU-2")));
  }

  @Test
  void aClaimListedTwiceHoldsThePartsOfBoth() {
    String twice = written().replace("\"uid\":\"u3\"", "\"uid\":\"u1\"");

    assertThat(read("null", twice).inventory().prepared().get(0).parts())
        .containsExactly(part("GPU-0", SLICE), GrantedPart.whole("GPU-2"));
  }

  @Test
  void aLinkOfAGpuThatIsGoneConnectsTheOthers() {
    String gone =
        written().replace("{\"devices\":[\"gpu-0\",\"gpu-1\"", "{\"devices\":[\"gpu-9\",\"gpu-1\"");

    assertThat(read("null", gone).inventory().links())
        .containsExactly(new GpuLink(ImmutableSet.of("GPU-1", "GPU-2"), GpuLink.Type.NVSWITCH, 12));
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "-5, 1", "null, 1", "7, 7"})
  void withoutAHandleFormatAPluginReadsTheFirst(String format, int expected) {
    String other = written().replace("\"handleFormat\":2", "\"handleFormat\":" + format);

    assertThat(read("null", other).inventory().handleFormat()).isEqualTo(expected);
  }

  @Test
  void administratorsTaintGpusByNameByUuidOrAll() {
    Reading reading =
        read(
            """
            {"taints":[
             {"device":"gpu-0","key":"a","effect":"NoSchedule","reason":"fan swap","until":"2026-11-22T08:00:00Z"},
             {"device":"GPU-1","key":"b","value":"v","effect":"NoExecute"},
             {"device":"*","key":"c","effect":"NoSchedule"},
             {"key":"d","effect":"NoSchedule"},
             {"device":"gpu-2"},
             {"device":"gpu-2","key":"e","effect":"NoBody","until":"soon"},
             {"device":"gpu-9","key":"f","effect":"NoSchedule"},
             null]}\
            """,
            written());

    assertThat(keys(reading, 0)).containsExactly(DRIVER + "/xid", "a", "c", "d");
    assertThat(keys(reading, 1)).containsExactly(DRIVER + "/unmonitored", "b", "c", "d");
    assertThat(keys(reading, 2)).containsExactly("c", "d", "e");
    assertThat(reading.inventory().gpus().get(0).taints().get(1))
        .isEqualTo(
            new DeviceTaint(
                "a",
                "",
                Effect.NO_SCHEDULE,
                "fan swap",
                Optional.empty(),
                Optional.of(Instant.parse("2026-11-22T08:00:00Z"))));
    assertThat(reading.inventory().gpus().get(1).taints().get(1).effect())
        .isEqualTo(Effect.NO_EXECUTE);
    assertThat(reading.inventory().gpus().get(2).taints().get(2)).isEqualTo(Taints.noSchedule("e"));
    assertThat(reading.problems())
        .containsExactly(
            "spec.taints[4].key: Required value",
            "spec.taints[5].effect: Not found: \"NoBody\" is not one of NoSchedule, NoExecute",
            "spec.taints[5].until: Invalid value: \"soon\": no time",
            "spec.taints[7]: Required value",
            "spec.taints[6].device: Not found: \"gpu-9\" is not a GPU of the node");
  }

  private static List<String> keys(Reading reading, int gpu) {
    return reading.inventory().gpus().get(gpu).taints().stream().map(DeviceTaint::key).toList();
  }

  @Test
  void aLongReasonIsCutSinceTheServerWouldRefuseTheWholeStatus() {
    Inventory inventory =
        NodeFixture.node("worker-1")
            .gpus(ImmutableList.of(gpu(0)))
            .taint(0, Taints.noSchedule("k", "x".repeat(300)))
            .inventory();

    assertThat(
            gson.toJson(
                InventoryCodec.write(inventory, new Publisher(DRIVER, "", "", 30), NOW, List.of())))
        .contains("\"reason\":\"" + "x".repeat(255) + "…\"");
  }
}
