package io.gpudra.controller.view;

import static io.gpudra.controller.view.Scene.part;
import static io.gpudra.controller.view.Scene.share;
import static io.gpudra.controller.view.Scene.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GpuTimeTest {
  private static final Duration HOURS = Duration.ofHours(4);

  private static final ImmutableList<NodeUse> NODES =
      NodeUse.all(
          new Scene()
              .node("worker-1", 3)
              .node("worker-2", DeviceSamples.A100_MIG)
              .granted("a", HOURS, "worker-1", whole("worker-1", 0), whole("worker-1", 1))
              .granted("b", HOURS, "worker-1", share("worker-1", 2, 20))
              .granted(
                  "team-b/c",
                  HOURS,
                  "worker-2",
                  part("worker-2", 0, DeviceSamples.slice(DeviceSamples.HALF, 0)))
              .prepared(
                  "worker-2",
                  "team-b/gone",
                  part("worker-2", 0, DeviceSamples.slice(DeviceSamples.SMALL, 5)))
              .cluster());

  @Test
  void aWholeGpuCountsOneAPartItsPartOfTheMemoryAndWhatIsGivenBackNothing() {
    assertThat(GpuTime.ofClaims(NODES, Scene.NOW))
        .containsExactly(
            new GpuTime("team-a", "a", 1, 2, 8),
            new GpuTime("team-b", "c", 1, 0.5, 2),
            new GpuTime("team-a", "b", 1, 0.25, 1));
  }

  @Test
  void aNamespaceHasWhatItsClaimsHave() {
    assertThat(GpuTime.ofNamespaces(NODES, Scene.NOW))
        .containsExactly(
            new GpuTime("team-a", "", 2, 2.25, 9), new GpuTime("team-b", "", 1, 0.5, 2));
  }

  @Test
  void aGrantOfTheFutureHasNoTime() {
    assertThat(GpuTime.ofNamespaces(NODES, Scene.NOW.minus(HOURS).minus(HOURS)))
        .extracting(GpuTime::hours)
        .containsOnly(0.0);
  }
}
