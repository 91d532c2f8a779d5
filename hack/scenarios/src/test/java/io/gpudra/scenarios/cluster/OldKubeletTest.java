package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Profile;
import java.io.File;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes of 1.27 boot: their kubelets start the pods of claims they know without a call. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class OldKubeletTest {
  private static final String NODE = "worker-0";
  private static final Pattern WAITS =
      Pattern.compile("(not registering yet, the kubelet remembers claims of an earlier boot)");

  /** The leader outlives an API server that is away for a moment. */
  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(
          new Plan(ImmutableMap.of(NODE, "latest", "worker-1", "latest"), 1, 0)
              .with(Plan.Lease.LONG)
              .with(Profile.V1_27));

  @Test
  void aPodThatSurvivesABootStartsOnceWhatItMayUseIsBack() throws Exception {
    String ns = "survives";
    startPod(ns, "gpu", "gpu", Given.on(NODE));
    cluster.until("it runs", () -> cluster.isPhase(ns, "gpu", "Running"));
    long before = registration().lastModified();
    power().off();
    cluster.cluster().doubles().stopServing();
    try {
      power().on();
      cluster.until("it says why it waits", OldKubeletTest::waits);
      assertThat(registers(before)).as("it is unknown which claims are in use").isFalse();
      assertThat(power().specs()).isEmpty();
    } finally {
      cluster.cluster().doubles().serveAgain();
    }
    cluster.until("the plugin registers", () -> registers(before));
    assertThat(power().specs())
        .singleElement()
        .satisfies(
            spec ->
                assertThat(spec.toFile().lastModified())
                    .isLessThanOrEqualTo(registration().lastModified()));
    cluster.until("its container runs", () -> !cluster.seenBy(ns, "gpu").isEmpty());
    assertThat(cluster.seenBy(ns, "gpu")).isEqualTo(cluster.granted(ns, "gpu")).hasSize(1);
    cluster.delete(ns, "gpu");
    cluster.until("it is gone", () -> cluster.pod(ns, "gpu").isEmpty());
    cluster.until(
        "the node holds nothing of it, not even the name",
        () -> !cluster.prepared(NODE).contains(ns + "/gpu") && power().specs().isEmpty());
  }

  @Test
  void aClaimThatIsUsedAgainAfterABootIsGrantedWhereNoKubeletKnowsItsName() throws Exception {
    String ns = "used-again-old";
    startPod(ns, "gpu", "gpu", Given.on(NODE));
    cluster.until("it runs", () -> cluster.isPhase(ns, "gpu", "Running"));
    power().off();
    cluster.deleteByForce(ns, "gpu");
    cluster.until("the claim is released", () -> !cluster.isAllocated(ns, "gpu"));
    power().on();
    cluster.until(
        "the node says that it holds nothing but a name",
        () -> cluster.prepared(NODE).contains(ns + "/gpu") && power().specs().isEmpty());
    cluster.create(Given.podWith(ns, "again", "", "gpu"));
    cluster.until("it runs", () -> cluster.isPhase(ns, "again", "Running"));
    assertThat(node(ns, "again")).isEqualTo("worker-1");
    assertThat(cluster.seenBy(ns, "again")).isEqualTo(cluster.granted(ns, "gpu")).hasSize(1);
    cluster.delete(ns, "again");
    cluster.until("it is gone", () -> cluster.pod(ns, "again").isEmpty());
  }

  private static void startPod(String ns, String pod, String claim, String where) throws Exception {
    cluster.create(
        Given.namespace(ns),
        Given.claim(ns, claim, "gpu.example.com"),
        Given.podWith(ns, pod, where, claim));
  }

  private static String node(String ns, String pod) throws Exception {
    return cluster.pod(ns, pod).orElseThrow().at("/spec/nodeName").asText();
  }

  private static boolean waits() throws Exception {
    return cluster.cluster().binaries().plugin(NODE).said(WAITS).isPresent();
  }

  /** The socket of the dead process is there all the time. */
  private static boolean registers(long before) {
    return registration().lastModified() > before;
  }

  private static File registration() {
    return cluster
        .cluster()
        .directories(NODE)
        .kubelet()
        .resolve("plugins_registry")
        .resolve(Binaries.DRIVER_NAME + "-reg.sock")
        .toFile();
  }

  private static NodePower power() {
    return new NodePower(cluster.cluster(), NODE);
  }
}
