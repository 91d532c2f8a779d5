package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.process.Child;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The network between the leader and the API server swallows everything, and says nothing. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class DroppedPacketsTest {
  private static final String LEASE =
      "/apis/coordination.k8s.io/v1/namespaces/%s/leases/%s"
          .formatted(Binaries.NAMESPACE, Binaries.DRIVER_NAME);
  private static final Optional<Integer> LEADERSHIP_LOST = Optional.of(5);
  private static final Pattern RENEWAL_LOST = Pattern.compile("(lease not reachable)");

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "latest"));

  private Island island;
  private Child leader;

  /** The one behind the network that will swallow leads, the other one stands by. */
  @BeforeEach
  void lead() throws Exception {
    island = Island.with(cluster.cluster().server());
    leader = startThere();
    binaries().controllers().forEach(Child::kill);
    release();
    cluster.until("it leads", () -> holds(leader));
    binaries().startController(0);
  }

  /** As the dead one would have done, had it been asked to stop. */
  private static void release() throws Exception {
    ObjectNode lease = cluster.client().get(LEASE).deepCopy();
    lease.withObject("/spec").put("holderIdentity", "");
    cluster.client().put(LEASE, lease);
  }

  @AfterEach
  void stop() throws Exception {
    if (leader != null) {
      leader.kill();
    }
    if (island != null) {
      island.close();
    }
  }

  private Child startThere() throws Exception {
    Path kubeconfig = cluster.cluster().kubeconfig();
    String there =
        Files.readString(kubeconfig)
            .replace(cluster.cluster().server().toString(), island.server().toString());
    return cluster
        .cluster()
        .children()
        .start(
            "controller-island",
            ImmutableList.<String>builder()
                .addAll(island.prefix())
                .add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString())
                .add("-jar", ClusterUnderTest.installation().controller().toString())
                .add("--driver-name=" + Binaries.DRIVER_NAME)
                .add("--namespace=" + Binaries.NAMESPACE)
                .add("--kubeconfig=" + Files.writeString(kubeconfig.resolveSibling("there"), there))
                .addAll(Plan.Lease.LONG.options())
                .add("--probe-port=0", "--metrics-port=0", "--debug-port=0")
                .build());
  }

  @Test
  void aLeaderThatHearsNothingIsGoneBeforeAnotherLeads() throws Exception {
    island.dropPackets();
    cluster.until("another leads", () -> !holds(leader));
    assertThat(leader.exitCode()).isEqualTo(LEADERSHIP_LOST);
  }

  @Test
  void aLeaderThatHearsAgainInTimeGoesOn() throws Exception {
    island.dropPackets();
    cluster.until("a renewal is lost", () -> leader.said(RENEWAL_LOST).isPresent());
    island.letPacketsFlow();
    Instant then = renewed();
    cluster.until("the lease is renewed", () -> renewed().isAfter(then));
    assertThat(holds(leader)).isTrue();
    assertThat(leader.exitCode()).isEmpty();
  }

  private static boolean holds(Child controller) throws Exception {
    return cluster
        .client()
        .get(LEASE)
        .at("/spec/holderIdentity")
        .asText()
        .endsWith("_" + controller.pid());
  }

  private static Instant renewed() throws Exception {
    return Instant.parse(cluster.client().get(LEASE).at("/spec/renewTime").asText());
  }

  private static Binaries binaries() {
    return cluster.cluster().binaries();
  }
}
