package io.gpudra.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where one of 1.27 differs: protocol.md 4.6, its known defects. */
class OldKubeletBehaviourTest {
  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  private SteppedCluster cluster;

  @BeforeEach
  void start(@TempDir Path cdi) {
    cluster = new SteppedCluster(cdi, Profile.V1_27, "n1");
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-0", true);
    run("p", "");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void run(String pod, String node) {
    cluster.pod(pod, node, "c");
    cluster.settle();
  }

  private void deleted() {
    cluster.api.delete(Resource.PODS, "default", "p", Optional.empty());
    cluster.pass(A_MINUTE);
  }

  @Test
  void itStartsThePodOfAClaimItKnowsWithoutACallAndWhoeverMayUseIt() {
    run("q", "n1");
    assertThat(cluster.claimObject("c").at("/status/reservedFor")).hasSize(1);
    assertThat(cluster.gpu("q", "ctr")).isEqualTo("gpu-0");
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0");
  }

  @Test
  void afterAPowerCutItTakesItsCheckpointForWhatIsPrepared() {
    cluster.actors.kubelet("n1").powerOff();
    cluster.actors.kubelet("n1").start();
    cluster.settle();
    assertThat(cluster.gpu("p", "ctr")).isEqualTo("gpu-0");
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0");
  }

  @Test
  void itUnpreparesWithTheHandleOfNow() {
    cluster.release("c");
    cluster.allocate("c", "n1", "gpu-1", true);
    deleted();
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "unprepare c=gpu-1");
    assertThat(cluster.api.list(Resource.PODS)).isEmpty();
  }

  @Test
  void itUnpreparesTheClaimOfThenWithTheHandleOfTheOneThatHasItsName() {
    String old = cluster.claimObject("c").at("/metadata/uid").asText();
    cluster.api.delete(Resource.CLAIMS, "default", "c", Optional.empty());
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-1", true);
    deleted();
    assertThat(cluster.plugin.calls).endsWith("unprepare c=gpu-1");
    assertThat(cluster.plugin.unprepared).containsExactly(old);
  }

  @Test
  void itNeverGetsOverAClaimThatHasNoAllocationAnyMore() {
    cluster.release("c");
    deleted();
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0");
    assertThat(cluster.api.list(Resource.PODS)).hasSize(1);
  }

  @Test
  void itNeverGetsOverAClaimThatIsGone() {
    cluster.api.delete(Resource.CLAIMS, "default", "c", Optional.empty());
    deleted();
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0");
    assertThat(cluster.api.list(Resource.PODS)).hasSize(1);
  }
}
