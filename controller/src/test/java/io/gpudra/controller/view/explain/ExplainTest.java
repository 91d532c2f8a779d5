package io.gpudra.controller.view.explain;

import static io.gpudra.controller.view.Scene.part;
import static io.gpudra.controller.view.Scene.share;
import static io.gpudra.controller.view.Scene.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.view.Scene;
import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.explain.Waiting.Place;
import io.gpudra.crds.model.node.Inventory.Service;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The text for each kind of shortage and each kind of grant. */
class ExplainTest {
  private static final Duration MINUTES = Duration.ofMinutes(12);
  private static final Duration HOURS = Duration.ofHours(3);
  private static final ImmutableSet<String> BOTH = ImmutableSet.of("worker-1", "worker-2");

  private static String text(Scene scene, Asked asked) {
    Explained explained = Explain.of(scene.sight(), asked).orElseThrow();
    return String.join("\n", explained.lines(Scene.NOW)) + "\n";
  }

  private static Scene full() {
    return new Scene()
        .node("worker-1", 2)
        .node("worker-2", 1)
        .granted("team-a/x", HOURS, "worker-1", whole("worker-1", 0), whole("worker-1", 1))
        .granted("team-b/y", MINUTES, "worker-2", whole("worker-2", 0));
  }

  private static Scene wants(Scene scene, String spec) {
    return scene.waiting("train", MINUTES, spec).pending("train", MINUTES, BOTH, "train");
  }

  private static Stream<Arguments> shortages() {
    return Stream.of(
        arguments(
            "all in use",
            wants(full(), ""),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 2 all matching GPUs in use; nearest: worker-1 2 GPUs, both granted to team-a/x
              all matching GPUs in use: worker-1, worker-2
            release of team-a/x, held 3 h, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "two of them",
            wants(full(), "{'count': 2}"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 1 all matching GPUs in use, 1 fewer matching GPUs than wanted; nearest: worker-1 2 GPUs, both granted to team-a/x, 0 free, 2 wanted
              all matching GPUs in use: worker-1
              fewer matching GPUs than wanted: worker-2
            release of team-a/x, held 3 h, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "no node has so many",
            wants(full(), "{'count': 4}"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: no device of the cluster satisfies the claim: spec.count: largest node has 2 GPUs, 4 wanted
              fewer matching GPUs than wanted: worker-1, worker-2
            no release of claims lets it run
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "a node is silent, one tainted",
            wants(
                full()
                    .taint("worker-2", 0)
                    .service("worker-1", new Service.Stale(Scene.NOW.minus(HOURS))),
                ""),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 1 all matching GPUs in use, 1 inventory stale; nearest: worker-2 1 GPU, granted to team-b/y
              all matching GPUs in use: worker-2
              inventory stale: worker-1
            no release of claims lets it run
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "given back and not let go of",
            wants(
                new Scene().node("worker-1", 1).prepared("worker-1", "old", whole("worker-1", 0)),
                ""),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 1 all matching GPUs in use, 1 no inventory; nearest: worker-1 1 GPU, draining from team-a/old
              all matching GPUs in use: worker-1
              no inventory: worker-2
            release of team-a/old, given back and not let go of by its node yet, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "wrong parameters",
            wants(full(), "{'count': 0}"),
            """
            pod team-a/train (Pending) gets no devices before something else is put right
            claim team-a/train: spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1
            """),
        arguments(
            "a considered node fits",
            full()
                .node("worker-3", 1)
                .waiting("train", MINUTES, "")
                .pending("train", MINUTES, ImmutableSet.of("worker-1", "worker-3"), "train"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: fits on 1 of 3 nodes
              all matching GPUs in use: worker-1, worker-2
            it fits now on worker-3; the scheduler is to choose
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "two claims would have to go",
            wants(
                new Scene()
                    .node("worker-1", 2)
                    .granted("team-a/x", HOURS, "worker-1", whole("worker-1", 0))
                    .granted("team-b/y", MINUTES, "worker-1", whole("worker-1", 1)),
                "{'count': 2}"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 1 all matching GPUs in use, 1 no inventory; nearest: worker-1 2 GPUs, both granted to team-a/x, team-b/y, 0 free, 2 wanted
              all matching GPUs in use: worker-1
              no inventory: worker-2
            release of team-a/x, held 3 h, and team-b/y, held 12 min, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "tainted",
            wants(new Scene().node("worker-1", 1).taint("worker-1", 0), ""),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 1 matching GPUs tainted, 1 no inventory; nearest: worker-1 1 GPU: gpu-0 tainted gpu.resource.example.com/xid (XID 79)
              matching GPUs tainted: worker-1
              no inventory: worker-2
            no release of claims lets it run
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "no room for a MIG device",
            wants(
                new Scene()
                    .node("worker-1", DeviceSamples.A100_MIG)
                    .granted(
                        "x",
                        HOURS,
                        "worker-1",
                        part("worker-1", 0, DeviceSamples.slice(DeviceSamples.HALF, 0))),
                "{'migProfile': '1g.10gb'}"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 1 no inventory, 1 no room for the devices that are wanted; nearest: worker-1 1g.10gb fits on no GPU: gpu-0 has 4 free memory slices but not side by side
              no inventory: worker-2
              no room for the devices that are wanted: worker-1
            release of team-a/x, held 3 h, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "a profile that there is not",
            wants(
                new Scene().node("worker-1", DeviceSamples.A100_MIG), "{'migProfile': '9g.99gb'}"),
            """
            pod team-a/train (Pending) gets no devices before something else is put right
            claim team-a/train: spec.migProfile: Invalid value: "9g.99gb": write a MIG profile such as 1g.5gb, 3g.40gb, 1g.10gb+me, 2g.48gb+me.all or 1c.2g.10gb
            """),
        arguments(
            "no memory left for a share",
            wants(
                new Scene()
                    .node("worker-1", 1)
                    .granted("x", HOURS, "worker-1", share("worker-1", 0, 60)),
                "{'mode': 'shared', 'memoryLimit': '40Gi'}"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 1 no inventory, 1 no room for the devices that are wanted; nearest: worker-1 needs 40Gi, the most that is left of one GPU is 20Gi (gpu-0)
              no inventory: worker-2
              no room for the devices that are wanted: worker-1
            release of team-a/x, held 3 h, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "two claims that each fit alone",
            new Scene()
                .node("worker-1", 1)
                .waiting("a", MINUTES, "")
                .waiting("b", MINUTES, "")
                .pending("train", MINUTES, BOTH, "a", "b"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/a: 0 of 2 nodes fit: 1 no inventory, 1 not together with the pod's other claims; nearest: worker-1 fits alone, but not together with team-a/b of the same pod
              no inventory: worker-2
              not together with the pod's other claims: worker-1
            claim team-a/b: 0 of 2 nodes fit: 1 no inventory, 1 not together with the pod's other claims; nearest: worker-1 fits alone, but not together with team-a/a of the same pod
              no inventory: worker-2
              not together with the pod's other claims: worker-1
            no release of claims lets it run
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "tied to the node of another claim",
            full()
                .node("worker-3", 2)
                .waiting("train", MINUTES, "")
                .pending("train", MINUTES, BOTH, "team-a/x", "train"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/x is granted on worker-1 since 3 h (2026-11-24T09:00:00Z), not prepared there
              gpu-0 (GPU-worker-1-0, NVIDIA A100-SXM4-80GB): all of it
              gpu-1 (GPU-worker-1-1, NVIDIA A100-SXM4-80GB): all of it
              granted without parameters
              reserved for nobody
            claim team-a/train: 0 of 1 node fits: 1 all matching GPUs in use; nearest: worker-1 2 GPUs, both granted to team-a/x
              all matching GPUs in use: worker-1
            no release of claims lets it run
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            a claim of the pod that is granted already ties it to worker-1
            """),
        arguments(
            "a claim that is not there",
            full().pending("train", MINUTES, BOTH, "nowhere"),
            """
            pod team-a/train (Pending) gets no devices before something else is put right
            claim team-a/nowhere: there is no such claim in sight
            """),
        arguments(
            "the scheduler has not asked",
            full()
                .waiting("train", MINUTES, "")
                .pod("train", MINUTES, Optional.empty(), "Pending", "train"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 2 all matching GPUs in use; nearest: worker-1 2 GPUs, both granted to team-a/x
              all matching GPUs in use: worker-1, worker-2
            release of team-a/x, held 3 h, lets it run on worker-1
            the scheduler has not asked for its devices yet
            """),
        arguments(
            "inventories are not in sight",
            new Scene()
                .withheld("nodeinventories")
                .waiting("train", MINUTES, "")
                .pending("train", MINUTES, BOTH, "train"),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train has no devices
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "it fits and the scheduler has not chosen",
            wants(full().node("worker-3", 1), ""),
            """
            pod team-a/train (Pending) waits for devices since 12 min
            claim team-a/train: fits on 1 of 3 nodes
              all matching GPUs in use: worker-1, worker-2
            it would fit now on worker-3, but the scheduler does not consider that: its events say why
            release of team-a/x, held 3 h, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("shortages")
  void aWaitingPodIsToldWhyAndWhatWouldHelp(String name, Scene scene, String text) {
    assertThat(text(scene, Asked.pod("team-a", "train"))).isEqualTo(text);
  }

  private static Stream<Arguments> grants() {
    return Stream.of(
        arguments(
            "prepared and used",
            full()
                .prepared("worker-1", "x", whole("worker-1", 0), whole("worker-1", 1))
                .running("team-a/p", "worker-1", "team-a/x"),
            "x",
            """
            claim team-a/x is granted on worker-1 since 3 h (2026-11-24T09:00:00Z), prepared there
              gpu-0 (GPU-worker-1-0, NVIDIA A100-SXM4-80GB): all of it
              gpu-1 (GPU-worker-1-1, NVIDIA A100-SXM4-80GB): all of it
              granted without parameters
              used by pod team-a/p (Running on worker-1)
            """),
        arguments(
            "shared",
            new Scene()
                .node("worker-1", 1)
                .granted("x", HOURS, "worker-1", share("worker-1", 0, 20))
                .granted("team-b/y", HOURS, "worker-1", share("worker-1", 0, 40)),
            "x",
            """
            claim team-a/x is granted on worker-1 since 3 h (2026-11-24T09:00:00Z), not prepared there
              gpu-0 (GPU-worker-1-0, NVIDIA A100-SXM4-80GB): 20Gi of its memory; shared with team-b/y (40Gi of its memory)
              granted without parameters
              reserved for nobody
            """),
        arguments(
            "a slice beside one that drains, tainted",
            new Scene()
                .node("worker-1", DeviceSamples.A100_MIG)
                .granted(
                    "x",
                    HOURS,
                    "worker-1",
                    part("worker-1", 0, DeviceSamples.slice(DeviceSamples.SMALL, 0)))
                .prepared(
                    "worker-1",
                    "team-b/y",
                    part("worker-1", 0, DeviceSamples.slice(DeviceSamples.SMALL, 1)))
                .taint("worker-1", 0),
            "x",
            """
            claim team-a/x is granted on worker-1 since 3 h (2026-11-24T09:00:00Z), not prepared there
              gpu-0-mig-1g.10gb-0 (GPU-worker-1-0, NVIDIA A100-SXM4-80GB): MIG device 1g.10gb; tainted: gpu.resource.example.com/xid (XID 79); shared with team-b/y (MIG device 1g.10gb, given back)
              granted without parameters
              reserved for nobody
            """),
        arguments(
            "gone and not let go of",
            new Scene().node("worker-1", 1).prepared("worker-1", "x", whole("worker-1", 0)),
            "x",
            """
            claim team-a/x is gone, and worker-1 has not let go of its devices
              gpu-0 (GPU-worker-1-0, NVIDIA A100-SXM4-80GB): all of it
            """),
        arguments(
            "of a node that is gone",
            new Scene().granted("x", HOURS, "worker-9", whole("worker-9", 0)),
            "x",
            """
            claim team-a/x is granted on worker-9 since 3 h (2026-11-24T09:00:00Z), and whether it is prepared there cannot be told
              gpu-0 (GPU-worker-9-0): all of it
              granted without parameters
              reserved for nobody
            """),
        arguments(
            "by parameters that changed since",
            full().asks("x", 1, "{}").parameters("x", 2, "{'count': 1}"),
            "x",
            """
            claim team-a/x is granted on worker-1 since 3 h (2026-11-24T09:00:00Z), not prepared there
              gpu-0 (GPU-worker-1-0, NVIDIA A100-SXM4-80GB): all of it
              gpu-1 (GPU-worker-1-1, NVIDIA A100-SXM4-80GB): all of it
              granted by generation 1 of GpuClaimParameters x, which is at generation 2 now: that changes nothing for this claim
              reserved for nobody
            """),
        arguments(
            "by parameters that are gone",
            full().asks("x", 1, "{}").withoutParameters(),
            "x",
            """
            claim team-a/x is granted on worker-1 since 3 h (2026-11-24T09:00:00Z), not prepared there
              gpu-0 (GPU-worker-1-0, NVIDIA A100-SXM4-80GB): all of it
              gpu-1 (GPU-worker-1-1, NVIDIA A100-SXM4-80GB): all of it
              granted by generation 1 of GpuClaimParameters x, which is not there any more or cannot be read
              reserved for nobody
            """),
        arguments(
            "Immediate, and no node has one",
            full().waiting("train", MINUTES, "").immediate("train"),
            "train",
            """
            claim team-a/train waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 2 all matching GPUs in use; nearest: worker-1 2 GPUs, both granted to team-a/x
              all matching GPUs in use: worker-1, worker-2
            release of team-a/x, held 3 h, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "Immediate, and there is one",
            full().node("worker-3", 1).waiting("train", MINUTES, "").immediate("train"),
            "train",
            """
            claim team-a/train waits for devices since 12 min
            claim team-a/train: fits on 1 of 1 nodes
            it fits now on worker-3; the scheduler is to choose
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            """),
        arguments(
            "of a pod that waits",
            wants(full(), ""),
            "train",
            """
            claim team-a/train waits for devices since 12 min
            claim team-a/train: 0 of 2 nodes fit: 2 all matching GPUs in use; nearest: worker-1 2 GPUs, both granted to team-a/x
              all matching GPUs in use: worker-1, worker-2
            release of team-a/x, held 3 h, lets it run on worker-1
            place 1 of 1 among those who wait for devices; freed ones are offered to the oldest first
            pod team-a/train is to use it
            """),
        arguments(
            "nobody is to use it",
            full().waiting("train", MINUTES, "{'count': 2}"),
            "train",
            """
            claim team-a/train: 0 of 2 nodes fit: 1 all matching GPUs in use, 1 fewer matching GPUs than wanted; nearest: worker-1 2 GPUs, both granted to team-a/x, 0 free, 2 wanted
              all matching GPUs in use: worker-1
              fewer matching GPUs than wanted: worker-2
            no pod is to use it yet: it gets devices when one is
            """));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("grants")
  void aClaimIsToldWhatItHasAndBesideWhom(String name, Scene scene, String claim, String text) {
    assertThat(text(scene, Asked.claim("team-a", claim))).isEqualTo(text);
  }

  @Test
  void theOrderIsThatOfCreationAndThenOfUid() {
    Duration longer = MINUTES.plusMinutes(1);
    Scene scene =
        full()
            .waiting("a", MINUTES, "")
            .pending("a", MINUTES, BOTH, "a")
            .waiting("b", MINUTES, "")
            .pending("b", MINUTES, BOTH, "b")
            .waiting("team-b/first", longer, "")
            .immediate("team-b/first")
            .waiting("wrong", longer, "{'count': 0}")
            .pending("wrong", longer, BOTH, "wrong");

    assertThat(place(scene, Asked.claim("team-b", "first"))).contains(new Place(1, 3));
    assertThat(place(scene, Asked.pod("team-a", "a"))).contains(new Place(2, 3));
    assertThat(place(scene, Asked.pod("team-a", "b"))).contains(new Place(3, 3));
    assertThat(place(scene, Asked.pod("team-a", "wrong"))).isEmpty();
  }

  private static Optional<Place> place(Scene scene, Asked asked) {
    return Explain.of(scene.sight(), asked).orElseThrow().waiting().flatMap(Waiting::place);
  }

  @Test
  void whatIsNotInSightIsNotExplained() {
    assertThat(Explain.of(full().sight(), Asked.pod("team-a", "x"))).isEmpty();
    assertThat(Explain.of(full().sight(), Asked.claim("team-b", "x"))).isEmpty();
    assertThat(Asked.of("team-a", "deployment/x")).isEmpty();
  }

  @Test
  void askingHoldsNothing() {
    Sight sight =
        full().node("worker-3", 1).waiting("train", MINUTES, "").immediate("train").sight();
    Explain.of(sight, Asked.claim("team-a", "train"));

    assertThat(sight.cluster().ledgers().ledger("worker-3").holds()).isEmpty();
  }
}
