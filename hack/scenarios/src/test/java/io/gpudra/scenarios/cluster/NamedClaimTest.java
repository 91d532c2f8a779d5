package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Profile;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A kubelet knows claims by name: without the rule that names stick to nodes, the second pod starts
 * on what the first one's claim was given while its own grant may name another GPU.
 */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class NamedClaimTest {
  /** Long enough for a second pod to be started beside the containers of the first. */
  private static final Duration CONTAINERS_RUN_ON = Duration.ofSeconds(3);

  private static final String ON_WORKER_0 = "nodeSelector: {kubernetes.io/hostname: worker-0}";

  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(
          new Plan(
              ImmutableMap.of("worker-0", "latest", "worker-1", "latest"),
              1,
              0,
              Duration.ofSeconds(60),
              CONTAINERS_RUN_ON,
              Plan.Lease.LONG,
              Profile.V1_30,
              ImmutableList.of()));

  @Test
  void aPodThatWaitedForTheClaimOfAPodDeletedByForceSeesWhatIsGranted() throws Exception {
    String ns = "forced";
    waitingBehindARunningPod(ns, ON_WORKER_0);
    cluster.deleteByForce(ns, "first");
    theSecondSeesWhatIsGranted(ns);
  }

  /** A kubelet that restarts forgets the pods that are gone and never unprepares their claims. */
  @Test
  void soDoesItOnAnotherNodeWhenTheKubeletRestartsInBetween() throws Exception {
    String ns = "forced-restart";
    waitingBehindARunningPod(ns, "");
    cluster.cluster().doubles().kubelet("worker-0").stop();
    cluster.deleteByForce(ns, "first");
    cluster.cluster().doubles().kubelet("worker-0").start();
    theSecondSeesWhatIsGranted(ns);
    assertThat(cluster.prepared("worker-0")).contains(ns + "/gpu");
  }

  @Test
  void soDoesItWhenTheClaimIsMadeAnewUnderItsName() throws Exception {
    String ns = "forced-anew";
    waitingBehindARunningPod(ns, ON_WORKER_0);
    cluster.deleteByForce(ns, "first");
    cluster.deleteClaim(ns, "gpu");
    cluster.until("the old claim is gone", () -> cluster.claim(ns, "gpu").isEmpty());
    cluster.create(Given.claim(ns, "gpu", "single-pod-gpu.example.com"));
    theSecondSeesWhatIsGranted(ns);
  }

  private static void waitingBehindARunningPod(String ns, String where) throws Exception {
    cluster.create(
        Given.namespace(ns),
        Given.claim(ns, "gpu", "single-pod-gpu.example.com"),
        Given.podWith(ns, "first", ON_WORKER_0, "gpu"));
    cluster.until("the first pod runs", () -> cluster.isPhase(ns, "first", "Running"));
    cluster.create(Given.podWith(ns, "second", where, "gpu"));
    cluster.until(
        "the second pod waits",
        () ->
            cluster
                .pod(ns, "second")
                .filter(
                    pod -> pod.at("/status/conditions/0/reason").asText().equals("Unschedulable"))
                .isPresent());
    assertThat(cluster.seenBy(ns, "second")).isEmpty();
    cluster.until(
        "the inventory names the claim", () -> cluster.prepared("worker-0").contains(ns + "/gpu"));
  }

  private static void theSecondSeesWhatIsGranted(String ns) throws Exception {
    cluster.until("the second pod runs", () -> cluster.isPhase(ns, "second", "Running"));
    String node = cluster.pod(ns, "second").orElseThrow().at("/spec/nodeName").asText();
    Set<String> granted = cluster.granted(ns, "gpu");
    assertThat(granted).hasSize(1);
    assertThat(cluster.seenBy(ns, "second")).isEqualTo(granted);
    cluster.delete(ns, "second");
    String claim = ns + "/gpu";
    cluster.until("the pod is gone", () -> cluster.pod(ns, "second").isEmpty());
    cluster.until(
        "its node " + node + " holds nothing for it",
        () -> !cluster.prepared(node).contains(claim));
  }
}
