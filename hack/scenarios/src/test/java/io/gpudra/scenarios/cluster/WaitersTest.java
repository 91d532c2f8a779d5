package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class WaitersTest {
  private static final int GPUS = 8;

  /** Less than the controllers' safety poll of 30 s: only a wake-up is quicker. */
  private static final Duration BEFORE_ANY_POLL = Duration.ofSeconds(20);

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  @Test
  void eightWaitersFollowEightPodsWithoutWaitingForAHeartbeat() throws Exception {
    String ns = "waiters";
    cluster.create(Given.namespace(ns));
    for (int i = 0; i < GPUS; i++) {
      cluster.create(
          Given.claim(ns, "old-" + i, "gpu.example.com"), Given.pod(ns, "old-" + i, "old-" + i));
    }
    allRun(ns, "old-", ClusterUnderTest.LIMIT);
    for (int i = 0; i < GPUS; i++) {
      cluster.create(
          Given.claim(ns, "new-" + i, "gpu.example.com"), Given.pod(ns, "new-" + i, "new-" + i));
    }
    cluster.until(
        "the last waiter has its scheduling context",
        () ->
            cluster
                .client()
                .find(ClusterUnderTest.DRA + ns + "/podschedulingcontexts/new-7")
                .isPresent());
    for (int i = 0; i < GPUS; i++) {
      cluster.delete(ns, "old-" + i);
    }
    allRun(ns, "new-", BEFORE_ANY_POLL);
    Set<String> used = new HashSet<>();
    for (int i = 0; i < GPUS; i++) {
      used.addAll(cluster.seenBy(ns, "new-" + i));
    }
    assertThat(used).hasSize(GPUS);
  }

  private static void allRun(String ns, String prefix, Duration limit) {
    await(prefix + "* run")
        .atMost(limit)
        .until(
            () -> {
              for (int i = 0; i < GPUS; i++) {
                if (!cluster.isPhase(ns, prefix + i, "Running")) {
                  return false;
                }
              }
              return true;
            });
  }
}
