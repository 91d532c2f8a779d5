package io.gpudra.controller.view;

import static io.gpudra.controller.view.Scene.part;
import static io.gpudra.controller.view.Scene.share;
import static io.gpudra.controller.view.Scene.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.view.GpuUse.State;
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

  private static Stream<Arguments> states() {
    return Stream.of(
        arguments("nobody has it", scene(), State.FREE, 0.0),
        arguments("granted", scene().granted("a", HOUR, NODE, whole(NODE, 0)), State.GRANTED, 1.0),
        arguments(
            "granted and prepared",
            scene().granted("a", HOUR, NODE, whole(NODE, 0)).prepared(NODE, "a", whole(NODE, 0)),
            State.GRANTED,
            1.0),
        arguments(
            "given back and still prepared",
            scene().prepared(NODE, "a", whole(NODE, 0)),
            State.DRAINING,
            1.0),
        arguments(
            "an eighth of it cut off",
            held("a", DeviceSamples.slice(DeviceSamples.SMALL, 0)),
            State.PARTLY_FREE,
            0.125),
        arguments(
            "half of its memory and all of its compute cut off",
            held("a", DeviceSamples.slice(DeviceSamples.HALF, 0)),
            State.GRANTED,
            0.5));
  }

  private static Stream<Arguments> statesOfPartsAndNodes() {
    return Stream.of(
        arguments(
            "a share of a quarter",
            scene().granted("a", HOUR, NODE, share(NODE, 0, 20)),
            State.PARTLY_FREE,
            0.25),
        arguments(
            "shares of all memory",
            scene()
                .granted("a", HOUR, NODE, share(NODE, 0, 20))
                .granted("b", HOUR, NODE, share(NODE, 0, 60)),
            State.GRANTED,
            1.0),
        arguments(
            "a share beside one that drains",
            scene()
                .granted("a", HOUR, NODE, share(NODE, 0, 20))
                .prepared(NODE, "b", share(NODE, 0, 20)),
            State.DRAINING,
            0.5),
        arguments("tainted", scene().taint(NODE, 0), State.TAINTED, 0.0),
        arguments(
            "tainted and granted",
            scene().taint(NODE, 0).granted("a", HOUR, NODE, whole(NODE, 0)),
            State.TAINTED,
            1.0),
        arguments("tainted in a part", scene().cut(NODE, 0, ONE, OTHER), State.PARTLY_FREE, 0.0),
        arguments(
            "tainted in all that it is cut into", scene().cut(NODE, 0, HALF), State.TAINTED, 0.0),
        arguments(
            "silent node", scene().service(NODE, new Service.Stale(Scene.NOW)), State.STALE, 0.0),
        arguments(
            "silent node with a tainted GPU",
            scene().taint(NODE, 0).service(NODE, new Service.NotReady("Stopped")),
            State.STALE,
            0.0));
  }

  @Test
  void aGpuOfWhichAPartIsTaintedCountsAsTainted() {
    NodeUse cut = NodeUse.all(scene().cut(NODE, 0, ONE, OTHER).cluster()).get(0);

    assertThat(cut.gpus()).allMatch(GpuUse::tainted);
    assertThat(NodeUse.all(scene().cluster()).get(0).gpus()).noneMatch(GpuUse::tainted);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"states", "statesOfPartsAndNodes"})
  void ofSeveralStatesOfAGpuTheWorstIsTold(String name, Scene scene, State state, double portion) {
    NodeUse node = NodeUse.all(scene.cluster()).get(0);

    assertThat(node.gpus()).extracting(GpuUse::state).containsExactly(state);
    assertThat(node.gpus()).extracting(GpuUse::portion).containsExactly(portion);
    assertThat(node.obstacle().isPresent()).isEqualTo(state == State.STALE);
  }

  @Test
  void aGpuThatIsHeldAndNotListedIsLost() {
    Scene scene = scene().granted("a", HOUR, NODE, whole(NODE, 7));

    ImmutableList<GpuUse> gpus = NodeUse.all(scene.cluster()).get(0).gpus();

    assertThat(gpus).extracting(GpuUse::state).containsExactly(State.FREE, State.LOST);
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
