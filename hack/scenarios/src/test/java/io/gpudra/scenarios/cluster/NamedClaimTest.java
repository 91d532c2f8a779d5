package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A kubelet knows claims by name: without the rule that names stick to nodes, the second pod starts
 * on the first pod's GPU while its grant names another.
 */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class NamedClaimTest {
  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  @Test
  void a_pod_that_waited_for_the_claim_of_a_pod_deleted_by_force_sees_what_is_granted()
      throws Exception {
    String ns = "forced";
    waitingBehindARunningPod(ns);
    cluster.deleteByForce(ns, "first");
    theSecondSeesWhatIsGranted(ns);
  }

  @Test
  void so_does_it_when_the_kubelet_restarts_in_between() throws Exception {
    String ns = "forced-restart";
    waitingBehindARunningPod(ns);
    cluster.cluster().doubles().kubelet("worker-0").stop();
    cluster.deleteByForce(ns, "first");
    cluster.cluster().doubles().kubelet("worker-0").start();
    theSecondSeesWhatIsGranted(ns);
  }

  @Test
  void so_does_it_when_the_claim_is_made_anew_under_its_name() throws Exception {
    String ns = "forced-anew";
    waitingBehindARunningPod(ns);
    cluster.deleteByForce(ns, "first");
    cluster.deleteClaim(ns, "gpu");
    cluster.until("the old claim is gone", () -> cluster.claim(ns, "gpu").isEmpty());
    cluster.create(Given.claim(ns, "gpu", "single-pod-gpu.example.com"));
    theSecondSeesWhatIsGranted(ns);
  }

  private static void waitingBehindARunningPod(String ns) throws Exception {
    cluster.create(
        Given.namespace(ns),
        Given.claim(ns, "gpu", "single-pod-gpu.example.com"),
        Given.pod(ns, "first", "gpu"));
    cluster.until("the first pod runs", () -> cluster.isPhase(ns, "first", "Running"));
    cluster.create(Given.pod(ns, "second", "gpu"));
    cluster.until(
        "the second pod waits",
        () ->
            cluster
                .pod(ns, "second")
                .filter(
                    pod -> pod.at("/status/conditions/0/reason").asText().equals("Unschedulable"))
                .isPresent());
    assertThat(cluster.seenBy(ns, "second")).isEmpty();
  }

  private static void theSecondSeesWhatIsGranted(String ns) throws Exception {
    cluster.until("the second pod runs", () -> cluster.isPhase(ns, "second", "Running"));
    Set<String> granted = cluster.granted(ns, "gpu");
    assertThat(granted).hasSize(1);
    assertThat(cluster.seenBy(ns, "second")).isEqualTo(granted);
    cluster.delete(ns, "second");
    cluster.until("the node holds nothing", () -> !cluster.prepared("worker-0").contains("gpu"));
  }
}
