package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.check.Finding;
import io.gpudra.controller.check.FindingJson;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.io.IOException;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LedgerPageTest {
  private static final ClaimRef REF = new ClaimRef("team-a", "train");
  private static final ClaimUid UID = new ClaimUid("u1");

  private final Ledgers ledgers = new Ledgers();
  private ImmutableList<Finding> findings = ImmutableList.of();
  private final LedgerPage page = new LedgerPage(() -> true, ledgers::snapshot, () -> findings);

  private JsonNode page(String... query) throws IOException {
    ImmutableMap<String, String> map =
        query.length == 0 ? ImmutableMap.of() : ImmutableMap.of(query[0], query[1]);
    return FindingJson.JSON.readTree(page.apply(map));
  }

  private void publish(String node, PreparedClaim... prepared) {
    ledgers.observe(
        NodeFixture.node(node).uuids("GPU-").gpus(2, GpuModels.T4).prepared(prepared).inventory());
  }

  private void grant(String node, String device) {
    ledgers.observe(
        REF, UID, Optional.of(GrantFixture.grant(UID, node, new GrantedDevice("gpu-0", device))));
  }

  private static Finding finding(String node) {
    return new Finding(
        Finding.Kind.DEVICE_LOST,
        node,
        ImmutableSortedMap.of(UID, REF),
        ImmutableSortedSet.of("GPU-9"),
        "it is gone");
  }

  @Test
  void aDeviceNamesWhoHasIt() throws IOException {
    publish(
        "worker-1",
        GrantFixture.preparedWhole(new ClaimUid("u2"), new ClaimRef("b", "y"), "GPU-0"));
    grant("worker-1", "GPU-0");

    JsonNode node = page().at("/nodes/0");

    assertThat(page().path("leading").asBoolean()).isTrue();
    assertThat(node.path("node").asText()).isEqualTo("worker-1");
    assertThat(node.path("service").asText()).isEqualTo("Serving");
    assertThat(node.path("devices"))
        .hasToString(
            "[{\"uuid\":\"GPU-0\",\"name\":\"gpu-0\","
                + "\"granted\":[{\"namespace\":\"team-a\",\"name\":\"train\",\"uid\":\"u1\"}],"
                + "\"inFlight\":[],"
                + "\"prepared\":[{\"namespace\":\"b\",\"name\":\"y\",\"uid\":\"u2\"}]},"
                + "{\"uuid\":\"GPU-1\",\"name\":\"gpu-1\","
                + "\"granted\":[],\"inFlight\":[],\"prepared\":[]}]");
  }

  @Test
  void aDeviceThatTheNodeDoesNotListIsThereWithItsClaim() throws IOException {
    publish("worker-1");
    grant("worker-1", "GPU-9");

    assertThat(page().at("/nodes/0/devices/2/uuid").asText()).isEqualTo("GPU-9");
    assertThat(page().at("/nodes/0/devices/2/granted/0/name").asText()).isEqualTo("train");
  }

  @Test
  void anUnreadableHandleNamesItsClaimAndWhy() throws IOException {
    publish("worker-1");
    ledgers.observeUnreadable(UID, "worker-1", new NodeLedger.Unreadable(REF, "handle is no JSON"));

    assertThat(page().at("/nodes/0/unreadable/0"))
        .hasToString(
            "{\"namespace\":\"team-a\",\"name\":\"train\",\"uid\":\"u1\","
                + "\"problem\":\"handle is no JSON\"}");
  }

  @Test
  void findingsNameTheirObjectsAndWhatToDo() throws IOException {
    findings = ImmutableList.of(finding("worker-1"), finding("worker-2"));

    assertThat(page().path("findingsInAll").asInt()).isEqualTo(2);
    assertThat(page("node", "worker-2").path("findings"))
        .singleElement()
        .hasToString(
            "{\"kind\":\"DeviceLost\",\"node\":\"worker-2\","
                + "\"claims\":[{\"namespace\":\"team-a\",\"name\":\"train\",\"uid\":\"u1\"}],"
                + "\"devices\":[\"GPU-9\"],\"what\":\"it is gone\",\"todo\":\""
                + Finding.Kind.DEVICE_LOST.remedy()
                + "\"}");
  }

  @Test
  void manyNodesComeInPages() throws IOException {
    IntStream.range(0, 2 * LedgerPage.NODES + 1).forEach(i -> publish("n%03d".formatted(i)));
    findings =
        IntStream.range(0, LedgerPage.FINDINGS + 1)
            .mapToObj(i -> finding("n" + i))
            .collect(ImmutableList.toImmutableList());

    JsonNode first = page();
    JsonNode second = page("after", first.path("next").asText());
    JsonNode last = page("after", second.path("next").asText());

    assertThat(first.path("nodes")).hasSize(LedgerPage.NODES);
    assertThat(first.path("findings")).hasSize(LedgerPage.FINDINGS);
    assertThat(first.path("findingsInAll").asInt()).isEqualTo(LedgerPage.FINDINGS + 1);
    assertThat(second.at("/nodes/0/node").asText()).isEqualTo("n100");
    assertThat(last.at("/nodes/0/node").asText()).isEqualTo("n200");
    assertThat(last.path("nodes")).hasSize(1);
    assertThat(last.has("next")).isFalse();
    assertThat(page("node", "n007").path("nodes")).hasSize(1);
  }
}
