package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A kubelet counts a pod of before its node's boot for ever: it never gives back a claim that a pod
 * used again after the boot (protocol.md 9.10).
 */
@Tag("lost")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class LostClaimTest {
  private static final String IDLE = "worker-0";
  private static final String IN_USE = "worker-1";

  /** The claim must be gone for five minutes, and its plugin looks once a minute. */
  private static final Duration LONGEST = Duration.ofMinutes(9);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration TWO_LOOKS = Duration.ofMinutes(2).plusSeconds(20);

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  void itsGPUComesHomeAndIsNotTakenFromAPodThatStillRuns() throws Exception {
    String ns = cluster.namespace("lost", IDLE, IN_USE);
    usedBeforeABoot(ns, "idle", IDLE);
    usedBeforeABoot(ns, "in-use", IN_USE);
    runs(ns, "next", "idle", IDLE);
    runs(ns, "first", "in-use", IN_USE);
    runs(ns, "joins", "in-use", IN_USE);

    cluster.node("exec", IN_USE, "pkill", "-STOP", "-x", "kubelet");
    try {
      whileAKubeletStands(ns);
    } finally {
      cluster.node("exec", IN_USE, "pkill", "-CONT", "-x", "kubelet");
    }
    cluster.until("once its containers have ended it does, too", () -> held(ns).isEmpty());
    cluster.awaitPluginOn(IN_USE);
  }

  private void whileAKubeletStands(String ns) throws Exception {
    cluster.deleteByForce(ns, "joins");
    cluster.deleteByForce(ns, "first");
    cluster.delete(ns, "next");
    for (String claim : List.of("idle", "in-use")) {
      cluster.kubectl("delete", "resourceclaim", claim, "--namespace=" + ns, "--timeout=2m");
    }
    assertThat(held(ns)).as("what the kubelets have lost").containsExactly("idle", "in-use");

    await("the idle GPU comes home")
        .atMost(LONGEST)
        .pollInterval(PAUSE)
        .until(() -> held(ns).equals(List.of("in-use")));
    assertThat(sleepsOn(IN_USE)).as("the containers").isTrue();
    await("the other's does not")
        .during(TWO_LOOKS)
        .atMost(LONGEST)
        .pollInterval(PAUSE)
        .until(() -> held(ns).equals(List.of("in-use")));
  }

  private void usedBeforeABoot(String ns, String claim, String node) throws Exception {
    cluster.create(Given.claim(ns, claim, "gpu.example.com"));
    String pod = "before-" + claim;
    runs(ns, pod, claim, node);
    cluster.node("stop", node);
    cluster.deleteByForce(ns, pod);
    cluster.until("the claim is released", () -> !cluster.isAllocated(ns, claim));
    cluster.node("start", node);
    cluster.awaitPluginOn(node);
    cluster.until("the node says that it holds nothing", () -> cluster.heldClaims().isEmpty());
  }

  private void runs(String ns, String pod, String claim, String node) throws Exception {
    cluster.create(Given.podWith(ns, pod, Given.on(node), claim));
    cluster.until(
        pod + " runs",
        () -> cluster.isPhase(ns, pod, "Running") && !cluster.seenBy(ns, pod).isEmpty());
  }

  private List<String> held(String ns) throws Exception {
    return cluster.heldClaims().stream()
        .filter(claim -> claim.path("namespace").asText().equals(ns))
        .map((JsonNode claim) -> claim.path("name").asText())
        .sorted()
        .toList();
  }

  private boolean sleepsOn(String node) throws Exception {
    return !cluster.node("exec", node, "pgrep", "-x", "sleep").isBlank();
  }
}
