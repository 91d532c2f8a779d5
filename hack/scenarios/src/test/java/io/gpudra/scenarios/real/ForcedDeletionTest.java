package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.scenarios.cluster.Given;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The claim of a pod deleted by force is released while the pod's containers still run. */
@Tag("real")
@ResourceLock(ForcedDeletionTest.NODE)
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ForcedDeletionTest {
  static final String NODE = "worker-0";
  private static final String ELSEWHERE = "worker-1";
  private static final String ON_NODE = Given.on(NODE);

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  void aGPUIsNotGrantedAgainBeforeItsNodeHasReleasedIt() throws Exception {
    String ns = cluster.namespace("forced-gpu", NODE);
    cluster.create(
        Given.parameters(ns, "eight", "{count: 8}"),
        Given.claimWith(ns, "eight", "eight"),
        Given.claim(ns, "one", "gpu.example.com"),
        slow(Given.podWith(ns, "holder", ON_NODE, "eight")));
    cluster.until("the holder runs", () -> cluster.isPhase(ns, "holder", "Running"));
    cluster.create(Given.podWith(ns, "waiter", ON_NODE, "one"));
    awaitUnschedulable(ns, "waiter");
    Watching claims = cluster.watch("--namespace=" + ns, "resourceclaims");
    Watching inventories = cluster.watch("nodeinventories", NODE);
    cluster.until("the claims are watched", () -> claims.first(s -> true).isPresent());
    cluster.until("the inventory is watched", () -> inventories.first(s -> true).isPresent());
    cluster.deleteByForce(ns, "holder");
    cluster.until("the waiter runs", () -> cluster.isPhase(ns, "waiter", "Running"));

    Watching.State released =
        claims.first(s -> s.name().equals("eight") && !s.isAllocated()).orElseThrow();
    Watching.State freed =
        inventories.first(s -> s.object().at("/status/preparedClaims").isEmpty()).orElseThrow();
    Watching.State granted =
        claims.first(s -> s.name().equals("one") && s.isAllocated()).orElseThrow();
    System.out.printf(
        "the claim was released %s, its node released the GPUs %s, one was granted again %s%n",
        released.seen(), freed.seen(), granted.seen());
    assertThat(released.written()).isLessThan(freed.written());
    assertThat(freed.written()).isLessThan(granted.written());
  }

  @Test
  void aPodThatWaitedForTheSameClaimSeesWhatIsGranted() throws Exception {
    String ns = waitingBehindARunningPod("forced-claim", ON_NODE);
    cluster.deleteByForce(ns, "first");
    theSecondSeesWhatIsGranted(ns);
  }

  /**
   * A kubelet that restarts forgets the pods that are gone and never unprepares their claims: the
   * GPU is held until the node boots again.
   */
  @Test
  @ResourceLock(ELSEWHERE)
  void soDoesItOnAnotherNodeWhenTheKubeletRestartsInBetween() throws Exception {
    String ns = waitingBehindARunningPod("forced-restart", Given.on(ELSEWHERE));
    cluster.node("exec", NODE, "pkill", "-STOP", "-x", "kubelet");
    cluster.deleteByForce(ns, "first");
    cluster.node("exec", NODE, "pkill", "-KILL", "-x", "kubelet");
    theSecondSeesWhatIsGranted(ns);
    assertThat(cluster.prepared(NODE)).contains(ns + "/gpu");
    cluster.node("stop", NODE);
    cluster.node("start", NODE);
  }

  private String waitingBehindARunningPod(String test, String where) throws Exception {
    String ns = cluster.namespace(test, NODE);
    cluster.create(
        Given.claim(ns, "gpu", "single-pod-gpu.example.com"),
        slow(Given.podWith(ns, "first", ON_NODE, "gpu")));
    cluster.until("the first pod runs", () -> cluster.isPhase(ns, "first", "Running"));
    cluster.create(Given.podWith(ns, "second", where, "gpu"));
    awaitUnschedulable(ns, "second");
    cluster.until(
        "the inventory names the claim", () -> cluster.prepared(NODE).contains(ns + "/gpu"));
    return ns;
  }

  private void theSecondSeesWhatIsGranted(String ns) throws Exception {
    cluster.until("the second pod runs", () -> cluster.isPhase(ns, "second", "Running"));
    cluster.until("and has printed what it sees", () -> !cluster.seenBy(ns, "second").isEmpty());
    Set<String> granted = cluster.granted(ns, "gpu");
    assertThat(granted).hasSize(1);
    assertThat(cluster.seenBy(ns, "second")).isEqualTo(granted);
  }

  private void awaitUnschedulable(String ns, String name) {
    cluster.until(
        name + " waits",
        () ->
            cluster
                .pod(ns, name)
                .filter(
                    pod -> pod.at("/status/conditions/0/reason").asText().equals("Unschedulable"))
                .isPresent());
  }

  /** Its container runs on for some seconds after it is told to stop. */
  private String slow(String pod) {
    return pod.replace("trap 'exit 0' TERM", "trap 'sleep 4; exit 0' TERM");
  }
}
