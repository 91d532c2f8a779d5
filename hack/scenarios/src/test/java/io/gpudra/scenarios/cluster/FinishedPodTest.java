package io.gpudra.scenarios.cluster;

import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The claim controller makes scheduling contexts for finished pods with named claims. Allocating
 * for them would go on for ever at the speed of writes.
 */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class FinishedPodTest {
  private static final Duration QUIET = Duration.ofSeconds(5);

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  @Test
  void aFinishedPodWithANodeNameAndANamedClaimCausesNoWrites() throws Exception {
    String ns = "finished-bound";
    cluster.create(
        Given.namespace(ns),
        Given.claim(ns, "gpu", "gpu.example.com"),
        Given.podWith(ns, "bound", "nodeName: worker-0", "gpu"));
    finish(ns, "bound");
  }

  @Test
  void aFinishedPodOfAJobWithANamedClaimCausesNoWrites() throws Exception {
    String ns = "finished-job";
    cluster.create(
        Given.namespace(ns),
        Given.claim(ns, "gpu", "gpu.example.com"),
        Given.pod(ns, "job", "gpu"));
    finish(ns, "job");
  }

  @Test
  void aFinishedPodWhoseClaimAnotherPodUsesCausesNoWrites() throws Exception {
    String ns = "finished-shared";
    cluster.create(
        Given.namespace(ns),
        Given.claim(ns, "gpu", "gpu.example.com"),
        Given.pod(ns, "stays", "gpu"),
        Given.pod(ns, "ends", "gpu"));
    cluster.until("the other pod runs", () -> cluster.isPhase(ns, "stays", "Running"));
    end(ns, "ends");
    staysQuiet(ns);
  }

  private static void finish(String ns, String pod) throws Exception {
    end(ns, pod);
    cluster.until("the claim is given back", () -> !cluster.isAllocated(ns, "gpu"));
    staysQuiet(ns);
  }

  private static void end(String ns, String pod) throws Exception {
    cluster.until("the pod runs", () -> cluster.isPhase(ns, pod, "Running"));
    String uid = cluster.pod(ns, pod).orElseThrow().at("/metadata/uid").asText();
    cluster.until(
        "the pod ends",
        () -> {
          cluster.cluster().doubles().kubelet("worker-0").finish(uid);
          return cluster.isPhase(ns, pod, "Succeeded");
        });
  }

  /** The count may still move when the claim is given back; it must come to rest and stay there. */
  private static void staysQuiet(String ns) {
    long[] last = {cluster.writesIn(ns)};
    await("no write for 5 s")
        .during(QUIET)
        .atMost(ClusterUnderTest.LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              long before = last[0];
              last[0] = cluster.writesIn(ns);
              return before == last[0];
            });
  }
}
