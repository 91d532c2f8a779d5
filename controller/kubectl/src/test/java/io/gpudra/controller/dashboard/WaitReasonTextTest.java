package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.Scene;
import io.gpudra.controller.view.UserView;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Why a pod waits for which there are devices. */
class WaitReasonTextTest {
  private static String why(Scheduling scheduling) {
    UserView sight =
        new Scene()
            .node("worker-1", 1)
            .waiting("train", Duration.ofMinutes(2), "")
            .pod("train", Duration.ofMinutes(2), Optional.empty(), "Pending", "train")
            .scheduling(scheduling)
            .sight();
    return new WaitReasonText(sight).why(sight.objects().pods().get(0));
  }

  @Test
  void whatItsSchedulerSaysIsTold() {
    assertThat(why(Scheduling.USUAL)).isEqualTo("Fits; waiting for the allocation.");
    assertThat(
            why(
                new Scheduling(
                    ImmutableList.of(), "volcano", Optional.of("0/1 nodes are available"))))
        .isEqualTo("Fits; it uses scheduler volcano; volcano says: 0/1 nodes are available");
  }
}
