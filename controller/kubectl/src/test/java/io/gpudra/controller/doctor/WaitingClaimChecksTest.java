package io.gpudra.controller.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.access.ClusterViews;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.Scene;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WaitingClaimChecksTest {
  private final AtomicLong nanos = new AtomicLong();

  /** Of three claims of a class that there is not, with so many looks at the clock. */
  private InstallationCollector.Result judged(long looks) {
    ClusterView sight =
        ClusterViews.of(
            ImmutableList.of(
                Some.claim("a").facts(), Some.claim("b").facts(), Some.claim("c").facts()),
            ImmutableList.of());
    return new WaitingClaimChecks(
            UserView.of(sight, "gpu.resource.example.com", Some.EPOCH),
            new QueryDeadline(nanos::incrementAndGet, looks))
        .result();
  }

  @Test
  void claimsThatThereIsNoTimeForAreSaidToBeUnseen() {
    InstallationCollector.Result one = judged(1);

    assertThat(one.diagnoses()).extracting(Diagnosis::subject).containsExactly("claim default/a");
    assertThat(one.unseen()).containsExactly("2 waiting claims: time limit reached");
  }

  @Test
  void whoHasTimeJudgesAll() {
    InstallationCollector.Result all = judged(100);

    assertThat(all.diagnoses()).hasSize(3);
    assertThat(all.unseen()).isEmpty();
  }

  private ImmutableList<Diagnosis> ofPod(Duration age, int gpus) {
    Scene scene =
        new Scene()
            .node("worker-1", gpus)
            .waiting("train", age, "")
            .pod("train", age, Optional.empty(), "Pending", "train")
            .scheduling(
                new Scheduling(
                    ImmutableList.of(),
                    "default-scheduler",
                    Optional.of("0/1 nodes are available: 1 Insufficient cpu.")));
    return new WaitingClaimChecks(scene.sight(), new QueryDeadline(nanos::get, 1))
        .result()
        .diagnoses();
  }

  @Test
  void aPodThatTheSchedulerRefusesAlthoughItsClaimsFitIsToldWithItsWords() {
    assertThat(ofPod(Duration.ofMinutes(2), 1))
        .containsExactly(
            new Diagnosis(
                ProblemKind.SCHEDULER_REFUSES,
                "pod team-a/train",
                "default-scheduler says: 0/1 nodes are available: 1 Insufficient cpu.",
                "make room on a node, or change the pod: kubectl gpudra explain pod/train"
                    + " -n team-a"));
  }

  @Test
  void theLabelOfTheProblemIsThatOfThePage() {
    assertThat(ProblemKind.SCHEDULER_REFUSES.label()).isEqualTo("SchedulerRefuses");
  }

  @Test
  void aPodThatTheSchedulerHasJustTriedIsNotTold() {
    assertThat(ofPod(Duration.ofSeconds(59), 1)).isEmpty();
  }

  @Test
  void ofAPodWhoseClaimFitsNoNodeOnlyTheClaimIsTold() {
    assertThat(ofPod(Duration.ofMinutes(2), 0))
        .extracting(Diagnosis::subject)
        .doesNotContain("pod team-a/train");
  }
}
