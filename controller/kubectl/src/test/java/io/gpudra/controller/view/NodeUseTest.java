package io.gpudra.controller.view;

import static io.gpudra.controller.view.Scene.part;
import static io.gpudra.controller.view.Scene.share;
import static io.gpudra.controller.view.Scene.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory.Service;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeUseTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String NODE = "worker-1";

  private static final Part.Slice HALF = DeviceSamples.slice(DeviceSamples.HALF, 0);
  private static final Part.Slice ONE = DeviceSamples.slice(DeviceSamples.SMALL, 0);
  private static final Part.Slice OTHER = DeviceSamples.slice(DeviceSamples.SMALL, 1);

  private static Scene scene() {
    return new Scene().node(NODE, DeviceSamples.A100_MIG);
  }

  private static Scene held(String claim, Part part) {
    return scene().granted(claim, HOUR, NODE, part(NODE, 0, part));
  }

  private static Stream<Arguments> portions() {
    return Stream.of(
        arguments("free", scene(), 0.0),
        arguments("granted", scene().granted("a", HOUR, NODE, whole(NODE, 0)), 1.0),
        arguments(
            "granted and prepared",
            scene().granted("a", HOUR, NODE, whole(NODE, 0)).prepared(NODE, "a", whole(NODE, 0)),
            1.0),
        arguments("left over", scene().prepared(NODE, "a", whole(NODE, 0)), 1.0),
        arguments("an eighth", held("a", ONE), 0.125),
        arguments("half of its memory and all of its compute", held("a", HALF), 0.5),
        arguments("a share", scene().granted("a", HOUR, NODE, share(NODE, 0, 20)), 0.25),
        arguments(
            "a share beside one that is left over",
            scene()
                .granted("a", HOUR, NODE, share(NODE, 0, 20))
                .prepared(NODE, "b", share(NODE, 0, 20)),
            0.5),
        arguments("cut and not held", scene().cut(NODE, 0, ONE, OTHER), 0.0));
  }

  @Test
  void aGpuOfWhichAPartIsTaintedCountsAsTainted() {
    NodeUse cut = NodeUse.all(scene().cut(NODE, 0, ONE, OTHER).cluster()).get(0);

    assertThat(cut.gpus()).allMatch(GpuUse::tainted);
    assertThat(NodeUse.all(scene().cluster()).get(0).gpus()).noneMatch(GpuUse::tainted);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("portions")
  void whatIsHeldOfAGpuIsItsPortion(String what, Scene scene, double portion) {
    assertThat(NodeUse.all(scene.cluster()).get(0).gpus())
        .extracting(GpuUse::portion)
        .as(what)
        .containsExactly(portion);
  }

  @Test
  void eachGpuHasTheStatusOfTheLedger() {
    Scene scene =
        new Scene()
            .node(NODE, DeviceSamples.A100_MIG, DeviceSamples.A100, DeviceSamples.A100)
            .granted("a", HOUR, NODE, part(NODE, 0, ONE))
            .granted("b", HOUR, NODE, whole(NODE, 1));

    assertThat(NodeUse.all(scene.cluster()).get(0).gpus())
        .extracting(GpuUse::status)
        .containsExactly(GpuStatus.PARTLY_FREE, GpuStatus.GRANTED, GpuStatus.FREE);
  }

  @Test
  void aNodeWithAnObstacleHasNoGpuThatNewClaimsCanGet() {
    Scene scene = scene().service(NODE, new Service.Stale(Scene.NOW));

    NodeUse node = NodeUse.all(scene.cluster()).get(0);

    assertThat(node.refusal()).contains("plugin silent since 2026-11-24T12:00:00Z");
    assertThat(node.gpus()).extracting(GpuUse::status).containsExactly(GpuStatus.STALE);
  }

  @Test
  void aGpuThatIsHeldAndNotListedIsLost() {
    Scene scene = scene().granted("a", HOUR, NODE, whole(NODE, 7));

    ImmutableList<GpuUse> gpus = NodeUse.all(scene.cluster()).get(0).gpus();

    assertThat(gpus).extracting(GpuUse::status).containsExactly(GpuStatus.FREE, GpuStatus.LOST);
    assertThat(gpus.get(1).holders()).extracting(DeviceHolder::ref).containsExactly(Scene.ref("a"));
  }

  @Test
  void nodesAreInOrderAndThoseWithoutGpusAreLeftOut() {
    Scene scene =
        new Scene()
            .node("worker-2", 1)
            .node("worker-1", 1)
            .node("cpu-1", 0)
            .service("cpu-1", new Service.Absent())
            .granted("a", HOUR, "gone", whole("gone", 0));

    assertThat(NodeUse.all(scene.cluster()))
        .extracting(NodeUse::name)
        .containsExactly("gone", "worker-1", "worker-2");
  }

  @Test
  void holdersSayWhatTheyHaveSinceWhen() {
    Scene scene =
        scene()
            .granted("b", HOUR, NODE, part(NODE, 0, DeviceSamples.slice(DeviceSamples.HALF, 4)))
            .prepared(NODE, "a", part(NODE, 0, DeviceSamples.slice(DeviceSamples.SMALL, 0)));

    ImmutableList<DeviceHolder> holders =
        NodeUse.all(scene.cluster()).get(0).gpus().get(0).holders();

    assertThat(holders)
        .extracting(DeviceHolder::device)
        .containsExactly("gpu-0-mig-1g.10gb-0", "gpu-0-mig-3g.40gb-4");
    assertThat(holders).extracting(DeviceHolder::draining).containsExactly(true, false);
    assertThat(holders.get(1).since()).contains(Scene.NOW.minus(HOUR));
  }
}
