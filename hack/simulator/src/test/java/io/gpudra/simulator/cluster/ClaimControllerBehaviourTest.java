package io.gpudra.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of protocol.md 3.3 and 1.6. */
class ClaimControllerBehaviourTest {
  private Path cdi;
  private Optional<SteppedCluster> running = Optional.empty();

  @BeforeEach
  void directory(@TempDir Path directory) {
    cdi = directory;
  }

  @AfterEach
  void stop() {
    running.ifPresent(SteppedCluster::close);
  }

  private SteppedCluster cluster(Profile profile) {
    SteppedCluster cluster = new SteppedCluster(cdi, profile, "n1");
    running = Optional.of(cluster);
    return cluster;
  }

  private static void template(SteppedCluster cluster) {
    cluster.create(
        Resource.CLAIM_TEMPLATES,
        "{'metadata':{'name':'t','namespace':'default'},'spec':{'metadata':{'labels':{'l':'v'}},"
            + "'spec':{'resourceClassName':'gpu'}}}");
  }

  private static void reserve(SteppedCluster cluster, String claim, String resource, String uid) {
    ObjectNode object = cluster.claimObject(claim);
    object
        .withObject("/status")
        .withArrayProperty("reservedFor")
        .addObject()
        .put("resource", resource)
        .put("name", "x")
        .put("uid", uid);
    cluster.api.updateStatus(Resource.CLAIMS, object);
  }

  private static boolean requested(SteppedCluster cluster, String claim) {
    return cluster.claimObject(claim).at("/status/deallocationRequested").asBoolean();
  }

  @Test
  void aTemplateBecomesAClaimOfThePodNamedInItsStatus() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    template(cluster);
    cluster.podWithTemplates("p", "t", "gpu");
    cluster.settle();
    String name =
        cluster.podObject("p").at("/status/resourceClaimStatuses/0/resourceClaimName").asText();
    assertThat(name).matches("p-gpu-[a-z0-9]{5}");
    ObjectNode claim = cluster.claimObject(name);
    assertThat(claim.at("/metadata/labels/l").asText()).isEqualTo("v");
    assertThat(claim.at("/metadata/ownerReferences/0/controller").asBoolean()).isTrue();
    assertThat(cluster.api.list(Resource.CLAIMS)).hasSize(1);
  }

  @Test
  void aLostStatusIsFoundAgainByTheAnnotation() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    template(cluster);
    cluster.podWithTemplates("p", "t", "gpu");
    cluster.settle();
    ObjectNode pod = cluster.podObject("p");
    pod.withObject("/status").remove("resourceClaimStatuses");
    cluster.api.updateStatus(Resource.PODS, pod);
    cluster.settle();
    assertThat(cluster.podObject("p").at("/status/resourceClaimStatuses")).hasSize(1);
    assertThat(cluster.api.list(Resource.CLAIMS)).hasSize(1);
  }

  @Test
  void aNullNameMeansThatNoClaimIsNeeded() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.podWithTemplates("p", "t", "gpu");
    ObjectNode pod = cluster.podObject("p");
    pod.withObject("/status").putArray("resourceClaimStatuses").addObject().put("name", "gpu");
    cluster.api.updateStatus(Resource.PODS, pod);
    template(cluster);
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.api.list(Resource.CLAIMS)).isEmpty();
    assertThat(cluster.node("p")).isEqualTo("n1");
  }

  @Test
  void a127ClaimHasAFixedNameAndNothingIsWrittenToThePod() {
    SteppedCluster cluster = cluster(Profile.V1_27);
    template(cluster);
    cluster.podWithTemplates("p", "t", "gpu");
    cluster.settle();
    assertThat(cluster.claimObject("p-gpu").at("/metadata/annotations").isMissingNode()).isTrue();
    assertThat(cluster.podObject("p").at("/status/resourceClaimStatuses").isMissingNode()).isTrue();
    cluster.allocate("p-gpu", "n1", "gpu-0", false);
    cluster.pass(Duration.ofSeconds(1));
    assertThat(cluster.gpu("p", "ctr")).isEqualTo("gpu-0");
  }

  @Test
  void aMissingTemplateIsAnEventAndTriedAgain() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.podWithTemplates("p", "t", "gpu");
    cluster.settle();
    assertThat(cluster.events("p", "FailedResourceClaimCreation"))
        .containsExactly(
            "PodResourceClaim gpu: resource claim template \"t\":"
                + " resourceclaimtemplate.resource.k8s.io \"t\" not found");
    template(cluster);
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.api.list(Resource.CLAIMS)).hasSize(1);
  }

  @Test
  void reservationsOfPodsThatDoNotExistGoAndTheClaimIsToBeFreed() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-0", false);
    reserve(cluster, "c", "pods", "nobody");
    cluster.settle();
    assertThat(cluster.claimObject("c").at("/status/reservedFor")).isEmpty();
    assertThat(requested(cluster, "c")).isTrue();
  }

  @Test
  void anImmediateClaimKeepsItsAllocation() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.claim("c", "Immediate");
    cluster.allocate("c", "n1", "gpu-0", false);
    reserve(cluster, "c", "pods", "nobody");
    cluster.settle();
    assertThat(cluster.claimObject("c").at("/status/reservedFor")).isEmpty();
    assertThat(requested(cluster, "c")).isFalse();
  }

  @Test
  void a127ControllerNeverAsksForDeallocation() {
    SteppedCluster cluster = cluster(Profile.V1_27);
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-0", false);
    reserve(cluster, "c", "pods", "nobody");
    cluster.settle();
    assertThat(cluster.claimObject("c").at("/status/reservedFor")).isEmpty();
    assertThat(requested(cluster, "c")).isFalse();
  }

  @Test
  void aForeignConsumerStopsAllWorkOnTheClaim() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-0", true);
    reserve(cluster, "c", "things", "1");
    reserve(cluster, "c", "pods", "nobody");
    cluster.settle();
    assertThat(cluster.claimObject("c").at("/status/reservedFor")).hasSize(2);
  }

  @Test
  void aPodDeletedBeforeItWasBoundGivesItsReservationBack() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.claim("c");
    cluster.claim("d", "Immediate");
    cluster.pod("p", "", "c", "d");
    cluster.settle();
    cluster.allocate("c", "n1", "gpu-0", false);
    reserve(cluster, "c", "pods", cluster.podObject("p").at("/metadata/uid").asText());
    ObjectNode claim = cluster.claimObject("c");
    ((ObjectNode) claim.at("/status/reservedFor/0")).put("name", "p");
    cluster.api.updateStatus(Resource.CLAIMS, claim);
    cluster.api.delete(Resource.PODS, "default", "p", Optional.empty());
    cluster.settle();
    assertThat(requested(cluster, "c")).isTrue();
  }

  @Test
  void aPodWithANodeGetsAContextThatOnlySelectsIt() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.claim("c");
    cluster.pod("p", "n1", "c");
    cluster.settle();
    ObjectNode context = cluster.context("p");
    assertThat(context.at("/spec/selectedNode").asText()).isEqualTo("n1");
    assertThat(context.at("/spec/potentialNodes").isMissingNode()).isTrue();
    cluster.allocate("c", "n1", "gpu-0", false);
    cluster.settle();
    assertThat(cluster.claimObject("c").at("/status/reservedFor/0/name").asText()).isEqualTo("p");
  }

  @Test
  void aFinishedPodWithANodeGetsANewContextAfterTheRelease() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-0", false);
    cluster.pod("p", "", "c");
    cluster.settle();
    assertThat(cluster.phase("p")).isEqualTo("Running");
    assertThat(cluster.hasContext("p")).isFalse();
    cluster.actors.kubelet("n1").finish(cluster.podObject("p").at("/metadata/uid").asText());
    cluster.pass(Duration.ofSeconds(1));
    assertThat(requested(cluster, "c")).isTrue();
    cluster.release("c");
    cluster.pass(Duration.ofSeconds(1));
    assertThat(cluster.context("p").at("/spec/selectedNode").asText()).isEqualTo("n1");
  }

  @Test
  void aFinishedPodAndAnImmediateClaimFlapWithoutEnd() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    cluster.claim("c", "Immediate");
    cluster.allocate("c", "n1", "gpu-0", false);
    cluster.pod("p", "", "c");
    cluster.settle();
    cluster.actors.kubelet("n1").finish(cluster.podObject("p").at("/metadata/uid").asText());
    cluster.settle();
    List<String> writes = cluster.record(Resource.CLAIMS);
    cluster.pass(Duration.ofSeconds(10));
    assertThat(writes).hasSizeBetween(100, 400);
  }

  @Test
  void theGeneratedClaimOfAFinishedPodIsDeleted() {
    SteppedCluster cluster = cluster(Profile.V1_30);
    template(cluster);
    cluster.podWithTemplates("p", "t", "gpu");
    cluster.settle();
    String claim = cluster.api.list(Resource.CLAIMS).get(0).at("/metadata/name").asText();
    cluster.allocate(claim, "n1", "gpu-0", false);
    cluster.pass(Duration.ofSeconds(1));
    assertThat(cluster.phase("p")).isEqualTo("Running");
    cluster.actors.kubelet("n1").finish(cluster.podObject("p").at("/metadata/uid").asText());
    cluster.pass(Duration.ofSeconds(1));
    assertThat(cluster.phase("p")).isEqualTo("Succeeded");
    assertThat(cluster.api.list(Resource.CLAIMS)).isEmpty();
  }
}
