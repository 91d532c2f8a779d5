package io.gpudra.controller.view;

import static io.gpudra.controller.view.Scene.part;
import static io.gpudra.controller.view.Scene.share;
import static io.gpudra.controller.view.Scene.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.model.node.Inventory.Service;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MaxRequestTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static MaxRequest of(Scene scene) {
    ClusterSnapshot cluster = scene.cluster();
    return MaxRequest.of(cluster, NodeUse.all(cluster));
  }

  @Test
  void asManyGpusAsAreFreeAndNotTaintedOnANodeThatServes() {
    Scene scene =
        new Scene()
            .node("full", 1)
            .granted("a", HOUR, "full", whole("full", 0))
            .node("half", 4)
            .granted("b", HOUR, "half", whole("half", 1))
            .taint("half", 0)
            .node("silent", 8)
            .service("silent", new Service.Stale(Scene.NOW))
            .node("whole", 8);

    assertThat(of(scene).gpus()).isEqualTo(ImmutableMap.of("half", 2, "whole", 8));
  }

  @Test
  void theLargestProfileThatThereIsRoomFor() {
    Scene scene =
        new Scene()
            .node("empty", DeviceSamples.A100_MIG)
            .node("cut", DeviceSamples.A100_MIG)
            .granted("a", HOUR, "cut", part("cut", 0, DeviceSamples.slice(DeviceSamples.SMALL, 0)))
            .node("without", DeviceSamples.A100);

    assertThat(of(scene).profiles())
        .isEqualTo(ImmutableMap.of("empty", "3g.40gb", "cut", "1g.10gb"));
  }

  @Test
  void besideAPartThatIsGivenBackAndOfNoGpuThatIsFull() {
    Scene scene =
        new Scene()
            .node("draining", DeviceSamples.A100_MIG)
            .prepared(
                "draining",
                "gone",
                part("draining", 0, DeviceSamples.slice(DeviceSamples.SMALL, 0)))
            .node("full", DeviceSamples.A100_MIG)
            .granted("a", HOUR, "full", whole("full", 0));

    assertThat(of(scene).gpus()).isEmpty();
    assertThat(of(scene).profiles()).isEqualTo(ImmutableMap.of("draining", "1g.10gb"));
  }

  @Test
  void theMemoryThatOneGpuHasLeft() {
    Scene scene =
        new Scene()
            .node("empty", 1)
            .node("shared", 2)
            .granted("a", HOUR, "shared", share("shared", 0, 20))
            .granted("b", HOUR, "shared", whole("shared", 1))
            .node("full", 1)
            .granted("c", HOUR, "full", whole("full", 0));

    assertThat(of(scene).memoryBytes())
        .isEqualTo(ImmutableMap.of("empty", 80L << 30, "shared", 60L << 30));
  }
}
