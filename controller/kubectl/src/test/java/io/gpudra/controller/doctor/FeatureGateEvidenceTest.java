package io.gpudra.controller.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.Scene;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a pod that waits tells of kube-scheduler's feature gate. */
class FeatureGateEvidenceTest {

  private static final Duration MINUTES = Duration.ofMinutes(2);

  private static Scene unasked() {
    return new Scene()
        .node("worker-1", 1)
        .waiting("train", MINUTES, "")
        .pod("train", MINUTES, Optional.empty(), "Pending", "train");
  }

  private static Optional<Boolean> shows(Scene scene) {
    return new FeatureGateEvidence(scene.sight()).ofScheduler();
  }

  private static Optional<Boolean> shows(Scheduling scheduling) {
    return shows(unasked().scheduling(scheduling));
  }

  @Test
  void aPodThatIsLeftWhereItIsShowsThatTheGateIsOff() {
    assertThat(shows(unasked())).contains(false);
  }

  @Test
  void aPodForWhichTheSchedulerAskedShowsNothing() {
    assertThat(
            shows(
                new Scene()
                    .node("worker-1", 1)
                    .waiting("train", MINUTES, "")
                    .pending("train", MINUTES, ImmutableSet.of("worker-1"), "train")))
        .isEmpty();
  }

  @Test
  void aPodWithASchedulingGateShowsNothing() {
    assertThat(
            shows(
                new Scheduling(
                    ImmutableList.of("kueue.x-k8s.io/admission"),
                    "default-scheduler",
                    Optional.empty())))
        .isEmpty();
  }

  @Test
  void aPodOfAnotherSchedulerShowsNothing() {
    assertThat(shows(new Scheduling(ImmutableList.of(), "volcano", Optional.empty()))).isEmpty();
  }

  @Test
  void aPodThatTheSchedulerRefusedShowsNothing() {
    assertThat(
            shows(
                new Scheduling(
                    ImmutableList.of(),
                    "default-scheduler",
                    Optional.of("0/1 nodes are available"))))
        .isEmpty();
  }
}
