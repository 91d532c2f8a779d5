package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventorySpec;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Age is judged by our own clock; a roll-out, a skewed clock and other drivers change nothing. */
class NodeFeedTest {
  private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");

  private Instant wallClock = START;
  private final List<String> told = new ArrayList<>();
  private final List<String> tainted = new ArrayList<>();
  private final List<String> spoke = new ArrayList<>();
  private final List<MalformedObject> malformed = new ArrayList<>();
  private long nanos = 1;
  private final List<Inventory> inventories = new ArrayList<>();
  private final InstantSource source = () -> wallClock;
  private final NodeFeed feed =
      new NodeFeed(
          new KubeSettings("gpu.example.com", 30, source.withZone(ZoneOffset.UTC)),
          () -> nanos,
          new NodeListener(
              this::changed, node -> spoke.add(node), node -> told.add(node + " gone")),
          malformed::add);

  private void changed(Inventory inventory) {
    inventories.add(inventory);
    told.add(inventory.node().name() + " " + text(inventory.service()));
    tainted.add(
        inventory.gpus().stream()
            .filter(Gpu::isTainted)
            .map(Gpu::name)
            .collect(Collectors.joining(" ")));
  }

  @Test
  void tellsNothingBeforeBothListsAreThereAndThenEachNodeOnce() {
    feed.node(node("w1"));
    feed.node(node("w2"));
    feed.nodesListed();
    assertThat(told).isEmpty();
    feed.inventory("w1", serving(START));
    feed.inventoriesListed();
    assertThat(told).containsExactlyInAnyOrder("w1 Serving", "w2 Absent");
  }

  @Test
  void tellsAHeartbeatToNobody() {
    served("w1");
    feed.inventory("w1", serving(START.plusSeconds(60)));
    assertThat(told).containsExactly("w1 Serving");
  }

  @Test
  void aTaintOfAnAdministratorEndsAtItsTime() {
    feed.node(node("w1"));
    feed.nodesListed();
    feed.inventoriesListed();
    tainted.clear();
    feed.inventory("w1", taintedUntil(START.plusSeconds(10)));
    wallClock = START.plusSeconds(9);
    feed.tick();
    assertThat(tainted).containsExactly("gpu-0");
    wallClock = START.plusSeconds(10);
    feed.tick();
    assertThat(tainted).containsExactly("gpu-0", "");
  }

  @Test
  void tellsThatANodeSpokeWheneverItsPluginHasWritten() {
    served("w1");
    spoke.clear();
    feed.inventory("w1", serving(START));
    feed.node(node("w1"));
    assertThat(spoke).isEmpty();
    feed.inventory("w1", serving(START.plusSeconds(60)));
    assertThat(spoke).containsExactly("w1");
    feed.inventoryGone("w1");
    feed.inventory("w1", serving(START.plusSeconds(60)));
    assertThat(spoke).containsExactly("w1", "w1");
  }

  @Test
  void aNodeOfWhichNothingIsToldHasNotSpoken() {
    feed.inventory("w1", serving(START));
    feed.nodesListed();
    feed.inventoriesListed();
    feed.inventory("w1", serving(START.plusSeconds(60)));
    assertThat(spoke).isEmpty();
  }

  @Test
  void goesStaleAfterTwoAndAHalfIntervalsWithoutAChangeAndBackWithTheNext() {
    served("w1");
    pass(Duration.ofSeconds(150));
    assertThat(told).containsExactly("w1 Serving");
    pass(Duration.ofSeconds(1));
    assertThat(told).containsExactly("w1 Serving", "w1 Stale " + START);
    feed.inventory("w1", serving(START.plusSeconds(200)));
    assertThat(told).last().isEqualTo("w1 Serving");
  }

  @Test
  void aTouchedObjectIsNoSignOfLife() {
    served("w1");
    pass(Duration.ofSeconds(100));
    feed.inventory("w1", serving(START));
    pass(Duration.ofSeconds(51));
    assertThat(told).last().isEqualTo("w1 Stale " + START);
  }

  /** Seconds by which each node's heartbeat is off at our start; five intervals are 300. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "0 -301 0,        w2, one that died long ago",
        "0 -300 0,        '', five intervals are allowed",
        "0 5000 0,        '', one fast clock",
        "0 5000,          '', one fast clock of two",
        "0,               '', nobody to compare with",
        "0 -301 5000 0 0, w2, one dead and one fast",
        "-301 -900 0,     w2, half have reached the first",
        "5000 0 5000,     w2, the clock of most counts",
      })
  void atFirstSightAHeartbeatFarBehindTheMedianIsStale(String offsets, String stale) {
    List<String> seconds = Splitter.on(' ').splitToList(offsets);
    for (int i = 0; i < seconds.size(); i++) {
      String name = "w" + (i + 1);
      feed.node(node(name));
      feed.inventory(name, serving(START.plusSeconds(Long.parseLong(seconds.get(i)))));
    }
    feed.nodesListed();
    feed.inventoriesListed();
    assertThat(told).hasSameSizeAs(seconds);
    assertThat(told.stream().filter(line -> line.contains("Stale")).map(l -> l.substring(0, 2)))
        .containsExactlyElementsOf(stale.equals("''") ? List.of() : List.of(stale));
  }

  @Test
  void aNodeThatWasStaleAtFirstSightServesWhenItIsSeenToChange() {
    feed.inventory("w2", serving(START));
    feed.inventory("w3", serving(START));
    feed.inventory("w1", serving(START.minusSeconds(5000)));
    feed.node(node("w1"));
    feed.nodesListed();
    feed.inventoriesListed();
    feed.inventory("w1", serving(START.minusSeconds(4940)));
    assertThat(told).containsExactly("w1 Stale " + START.minusSeconds(5000), "w1 Serving");
  }

  @Test
  void aNodeWithAWrongClockThatWeSawAliveIsServing() {
    served("w1");
    feed.inventory("w1", serving(START.minusSeconds(5000)));
    feed.inventory("w2", serving(START.plusSeconds(5000)));
    feed.node(node("w2"));
    pass(Duration.ofSeconds(1));
    assertThat(told).containsExactly("w1 Serving", "w2 Serving");
  }

  @Test
  void aJumpOfTheWallClockMakesNobodyStaleAndNobodyFresh() {
    served("w1");
    wallClock = START.plus(Duration.ofDays(1));
    pass(Duration.ofSeconds(60));
    feed.inventory("w1", serving(wallClock));
    wallClock = START.minus(Duration.ofDays(1));
    feed.inventory("w1", serving(wallClock));
    pass(Duration.ofSeconds(150));
    assertThat(told).containsExactly("w1 Serving");
    pass(Duration.ofSeconds(1));
    assertThat(told).containsExactly("w1 Serving", "w1 Stale " + wallClock);
  }

  @Test
  void stoppedCountsOnlyWhenItLasts() {
    served("w1");
    feed.inventory("w1", status("False", "Stopped", START.plusSeconds(1)));
    pass(Duration.ofSeconds(29));
    feed.inventory("w1", serving(START.plusSeconds(30)));
    pass(Duration.ofSeconds(29));
    assertThat(told).containsExactly("w1 Serving");
    feed.inventory("w1", status("False", "Stopped", START.plusSeconds(60)));
    pass(Duration.ofSeconds(30));
    assertThat(told).containsExactly("w1 Serving", "w1 NotReady Stopped");
  }

  @Test
  void anyOtherReasonCountsAtOnce() {
    served("w1");
    feed.inventory("w1", status("False", "DriverRootMissing", START.plusSeconds(1)));
    assertThat(told).last().isEqualTo("w1 NotReady DriverRootMissing");
  }

  @ParameterizedTest
  @ValueSource(strings = {"CdiDirectoryUnwritable", "StateDirectoryUnwritable", "Starting"})
  void whatDidNotServeBeforeItStoppedHasStopped(String reason) {
    served("w1");
    feed.inventory("w1", status("False", reason, START.plusSeconds(1)));
    feed.inventory("w1", status("False", "Stopped", START.plusSeconds(2)));
    feed.inventory("w1", serving(START.plusSeconds(3)));
    assertThat(told)
        .containsExactly(
            "w1 Serving", "w1 NotReady " + reason, "w1 NotReady Stopped", "w1 Serving");
  }

  @Test
  void whatStoppedBeforeWeCameHasStopped() {
    feed.node(node("w1"));
    feed.inventory("w1", status("False", "Stopped", START));
    feed.nodesListed();
    feed.inventoriesListed();
    assertThat(told).containsExactly("w1 NotReady Stopped");
  }

  @Test
  void aNodeOrItsInventoryMayGoAndComeBack() {
    served("w1");
    feed.inventoryGone("w1");
    feed.inventory("w1", serving(START));
    feed.nodeGone("w1");
    feed.node(node("w1"));
    assertThat(told)
        .containsExactly("w1 Serving", "w1 Absent", "w1 Serving", "w1 gone", "w1 Serving");
  }

  @Test
  void anInventoryWithoutItsNodeIsToldToNobody() {
    feed.nodesListed();
    feed.inventoriesListed();
    feed.inventory("w1", serving(START));
    feed.inventoryGone("w1");
    assertThat(told).isEmpty();
  }

  @Test
  void tellsACordonedNode() {
    served("w1");
    feed.node(NodeFixture.cordoned(node("w1")));
    assertThat(told).hasSize(2);
  }

  @Test
  void aNodeThatChangesIsJoinedWithItsInventoryAsItWasRead() {
    feed.node(node("w1"));
    feed.nodesListed();
    feed.inventoriesListed();
    feed.inventory("w1", taintedUntil(START.plusSeconds(10)));
    Inventory before = inventories.get(inventories.size() - 1);
    feed.node(NodeFixture.cordoned(node("w1")));

    Inventory after = inventories.get(inventories.size() - 1);
    assertThat(after.node().cordoned()).isTrue();
    assertThat(after.gpus()).isNotEmpty().isSameAs(before.gpus());
  }

  @Test
  void anInventoryOfAnotherDriverIsAbsent() {
    feed.node(node("w1"));
    feed.inventory("w1", of("other.example.com", "True", "Serving", START));
    feed.nodesListed();
    feed.inventoriesListed();
    assertThat(told).containsExactly("w1 Absent");
    assertThat(malformed).isEmpty();
  }

  @Test
  void aMalformedInventoryIsReportedOnItselfOnce() {
    served("w1");
    NodeInventoryStatus none =
        new NodeInventoryStatus(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null,
            null, null, null);
    feed.inventory("w1", new NodeInventory(null, null, null, null, none));
    feed.inventory("w1", new NodeInventory(null, null, null, null, none));
    assertThat(told).last().isEqualTo("w1 Absent");
    assertThat(malformed).extracting(MalformedObject::name).containsExactly("w1");
  }

  private void served(String name) {
    feed.node(node(name));
    feed.inventory(name, serving(START));
    feed.nodesListed();
    feed.inventoriesListed();
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    feed.tick();
  }

  private static NodeState node(String name) {
    return NodeFixture.ready(name);
  }

  private static NodeInventory taintedUntil(Instant end) {
    NodeInventorySpec.Taint taint =
        new NodeInventorySpec.Taint(
            "gpu-0", "example.com/fan", null, "NoSchedule", null, end.toString());
    return new NodeInventory(
        null,
        null,
        null,
        new NodeInventorySpec(List.of(taint)),
        InventoryCodec.write(
            DeviceSamples.node("w1", DeviceSamples.T4),
            new InventoryCodec.Publisher("gpu.example.com", "1", "boot", 60),
            START,
            ImmutableList.of(
                new Condition(InventoryCodec.READY, "True", "Serving", "", START.toString()))));
  }

  private static NodeInventory serving(Instant heartbeat) {
    return status("True", "Serving", heartbeat);
  }

  private static NodeInventory status(String ready, String reason, Instant heartbeat) {
    return of("gpu.example.com", ready, reason, heartbeat);
  }

  private static NodeInventory of(String driver, String ready, String reason, Instant heartbeat) {
    Condition condition = new Condition(InventoryCodec.READY, ready, reason, "", START.toString());
    NodeInventoryStatus status =
        new NodeInventoryStatus(
            driver,
            "1",
            "boot",
            heartbeat.toString(),
            60,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            List.of(condition));
    return new NodeInventory(null, null, null, null, status);
  }

  private static String text(Service service) {
    if (service instanceof Service.Stale stale) {
      return "Stale " + stale.lastHeard();
    }
    return service instanceof Service.NotReady notReady
        ? "NotReady " + notReady.conditionReason()
        : service.getClass().getSimpleName();
  }
}
