package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.crds.testing.GrantFixture.device;
import static io.gpudra.crds.testing.GrantFixture.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GpuStatusTest {
  private static final String NODE = "worker-1";
  private static final String UUID = "GPU-0";
  private static final Part WHOLE = new Part.Whole();
  private static final Part.Slice HALF = DeviceSamples.slice(DeviceSamples.HALF, 0);
  private static final Part.Slice ONE = DeviceSamples.slice(DeviceSamples.SMALL, 0);
  private static final Part.Slice OTHER = DeviceSamples.slice(DeviceSamples.SMALL, 1);
  private static final Service SILENT = new Service.Stale(Instant.EPOCH);
  private static final Service STOPPED = new Service.NotReady("Stopped");

  /** One GPU, and what its node and the API say of it. */
  private record Scene(
      ImmutableList<DeviceTaint> taints,
      ImmutableList<MigState.Device> devices,
      ImmutableList<PreparedClaim> prepared,
      ImmutableList<Grant> grants,
      Service service) {

    private Scene taint(String kind) {
      return new Scene(
          and(taints, DeviceSamples.taint(kind, "")), devices, prepared, grants, service);
    }

    private Scene cut(Part.Slice slice, boolean foreign, DeviceTaint... ofIt) {
      MigState.Device device =
          GrantFixture.migDevice("MIG-" + slice.start(), slice, foreign)
              .with(ImmutableList.copyOf(ofIt));
      return new Scene(taints, and(devices, device), prepared, grants, service);
    }

    private Scene prepared(String claim, Part part) {
      PreparedClaim more = GrantFixture.prepared(uid(claim), ref(claim), part(UUID, part));
      return new Scene(taints, devices, and(prepared, more), grants, service);
    }

    private Scene granted(String claim, Part part) {
      return granted(claim, UUID, part);
    }

    private Scene granted(String claim, String uuid, Part part) {
      Grant more = GrantFixture.grant(uid(claim), NODE, device("gpu-0", part(uuid, part)));
      return new Scene(taints, devices, prepared, and(grants, more), service);
    }

    private Scene on(Service other) {
      return new Scene(taints, devices, prepared, grants, other);
    }

    private NodeLedger ledger() {
      MigState mig = GpuModels.enabled().with(devices);
      Gpu gpu = DeviceSamples.gpu(0, A100_MIG, mig).with(taints);
      Inventory inventory =
          Samples.with(
              Samples.inventory(NODE, ImmutableList.of(gpu)),
              prepared.toArray(PreparedClaim[]::new));
      NodeLedger ledger = NodeLedger.of(inventory.with(service));
      for (Grant grant : grants) {
        String name = grant.claim().value().replace("uid-of-", "");
        ledger = ledger.observed(grant.claim(), ref(name), Optional.of(grant));
      }
      return ledger;
    }
  }

  private static <T> ImmutableList<T> and(ImmutableList<T> some, T more) {
    return ImmutableList.<T>builder().addAll(some).add(more).build();
  }

  private static Part share(long gibibytes) {
    return new Part.Share(gibibytes << 30, 0);
  }

  private static Scene scene() {
    return new Scene(
        ImmutableList.of(),
        ImmutableList.of(),
        ImmutableList.of(),
        ImmutableList.of(),
        new Service.Serving());
  }

  private static Stream<Arguments> use() {
    return Stream.of(
        arguments("free", scene(), GpuStatus.FREE),
        arguments("granted", scene().granted("a", WHOLE), GpuStatus.GRANTED),
        arguments(
            "granted and prepared",
            scene().granted("a", WHOLE).prepared("a", WHOLE),
            GpuStatus.GRANTED),
        arguments("left over", scene().prepared("a", WHOLE), GpuStatus.DRAINING),
        arguments(
            "left over by a claim that has another GPU",
            scene().granted("a", "GPU-1", WHOLE).prepared("a", WHOLE),
            GpuStatus.DRAINING),
        arguments("an eighth of it is cut off", scene().granted("a", ONE), GpuStatus.PARTLY_FREE),
        arguments(
            "half of its memory and all of its compute is cut off",
            scene().granted("a", HALF),
            GpuStatus.GRANTED),
        arguments("a share", scene().granted("a", share(20)), GpuStatus.PARTLY_FREE),
        arguments(
            "shares of all memory",
            scene().granted("a", share(20)).granted("b", share(60)),
            GpuStatus.GRANTED),
        arguments(
            "a share beside one that is left over",
            scene().granted("a", share(20)).prepared("b", share(20)),
            GpuStatus.DRAINING));
  }

  private static Stream<Arguments> trouble() {
    DeviceTaint xid = DeviceSamples.xid(95);
    return Stream.of(
        arguments("tainted", scene().taint("xid"), GpuStatus.TAINTED),
        arguments(
            "tainted and granted", scene().taint("xid").granted("a", WHOLE), GpuStatus.TAINTED),
        arguments(
            "tainted and left over", scene().taint("xid").prepared("a", ONE), GpuStatus.TAINTED),
        arguments(
            "cut into two, one of them tainted",
            scene().cut(ONE, false, xid).cut(OTHER, false),
            GpuStatus.PARTLY_FREE),
        arguments("all of it cut and tainted", scene().cut(HALF, false, xid), GpuStatus.TAINTED),
        arguments("other software has all of it", scene().cut(HALF, true), GpuStatus.TAINTED),
        arguments("other software has an eighth", scene().cut(ONE, true), GpuStatus.PARTLY_FREE),
        arguments("fallen off the bus", scene().taint("lost"), GpuStatus.LOST),
        arguments(
            "fallen off the bus under a claim",
            scene().taint("xid").taint("lost").granted("a", WHOLE),
            GpuStatus.LOST));
  }

  private static Stream<Arguments> nodesOutOfService() {
    return Stream.of(
        arguments("free on a silent node", scene().on(SILENT), GpuStatus.STALE),
        arguments(
            "granted on a silent node", scene().granted("a", WHOLE).on(SILENT), GpuStatus.STALE),
        arguments(
            "left over on a stopped node",
            scene().prepared("a", WHOLE).on(STOPPED),
            GpuStatus.STALE),
        arguments("tainted on a stopped node", scene().taint("xid").on(STOPPED), GpuStatus.STALE),
        arguments("lost on a silent node", scene().taint("lost").on(SILENT), GpuStatus.LOST));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"use", "trouble", "nodesOutOfService"})
  void ofSeveralStatesTheWorstCounts(String what, Scene scene, GpuStatus status) {
    assertThat(scene.ledger().statuses()).as(what).containsExactly(status);
  }

  @Test
  void whereGpusOfAClaimAreUnknownNoneIsFree() {
    NodeLedger ledger =
        scene().ledger().observed(uid("odd"), new NodeLedger.Unreadable(ref("odd"), "too new"));

    assertThat(ledger.statuses()).containsExactly(GpuStatus.STALE);
  }

  @Test
  void aHeldGpuThatItsNodeDoesNotListIsLostOnce() {
    NodeLedger ledger =
        scene().granted("a", "GPU-9", ONE).granted("b", "GPU-9", OTHER).on(SILENT).ledger();

    assertThat(ledger.unlisted()).containsExactly(Map.entry("GPU-9", GpuStatus.LOST));
  }

  @Test
  void onANodeWithoutInventoryNothingIsKnownToBeLost() {
    NodeLedger gone =
        NodeLedger.unknown(NODE)
            .observed(uid("a"), ref("a"), Optional.of(Samples.grant("a", NODE, 3)));

    assertThat(gone.statuses()).isEmpty();
    assertThat(gone.unlisted()).containsExactly(Map.entry(Samples.uuid(NODE, 3), GpuStatus.STALE));
  }

  @Test
  void ofAClaimThatMovedOnlyItsOldGpuIsLeftOver() {
    PreparedClaim both = GrantFixture.preparedWhole(uid("a"), ref("a"), UUID, "GPU-1");

    assertThat(scene().granted("a", "GPU-1", WHOLE).ledger().leftoverDevices(both))
        .containsExactly(UUID);
    assertThat(scene().ledger().leftoverDevices(both)).containsExactly(UUID, "GPU-1");
  }

  @Test
  void metricsAndCommandsUseLowerCase() {
    assertThat(GpuStatus.PARTLY_FREE.label()).isEqualTo("partly_free");
  }
}
