package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.Faults;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A healthy cluster, and somebody who may not see all of it. */
class DoctorWithoutRightsTest {
  private static final Duration LONG = Duration.ofHours(1);

  private Asking asking;

  @BeforeEach
  void aNodeHasWhatAClaimWasGranted(@TempDir Path directory) throws IOException {
    asking = new Asking(directory);
    asking.cluster.addNode("worker-1");
    ObjectNode inventory =
        asking.cluster.objects.get(DoctorCase.INVENTORIES, "", "worker-1").orElseThrow();
    String uuid = inventory.at("/status/devices/0/uuid").asText();
    ObjectNode claim = asking.granted("team-a", "train", LONG, "worker-1", uuid);
    inventory
        .withObject("/status")
        .withArray("preparedClaims")
        .addObject()
        .put("uid", claim.at("/metadata/uid").asText())
        .put("namespace", "team-a")
        .put("name", "train")
        .withArray("devices")
        .add(uuid);
    asking.cluster.objects.updateStatus(DoctorCase.INVENTORIES, inventory);
  }

  @AfterEach
  void stop() {
    asking.close();
  }

  private void hide(String resource) {
    faults().inject(new Match("list", resource, ""), Fault.answer(403), LONG);
  }

  private Faults faults() {
    return asking.cluster.server.faults();
  }

  private String told() throws IOException {
    int unused = asking.ask("doctor", "--settle=0s");
    return asking.out();
  }

  private void assertThatContradictionsAreNotLookedAt() {
    assertThat(asking.err())
        .contains(
            "not checked: consistency of claims and nodes: missing permission to read all"
                + " resourceclaims, nodes and nodeinventories");
  }

  @Test
  void whoSeesAllIsToldOfNoContradiction() throws IOException {
    assertThat(told()).doesNotContain("train");
    assertThat(asking.err()).doesNotContain("contradict");
  }

  @Test
  void whoSeesClaimsOfOneNamespaceIsNotToldThatOthersAreGone() throws IOException {
    faults().inject(new Match("list", "resourceclaims", ""), Fault.answer(403), 1);
    assertThat(told()).doesNotContain("ClaimOrphaned");
    assertThatContradictionsAreNotLookedAt();
  }

  @Test
  void whoMayNotSeeNodesIsNotToldThatTheyAreGone() throws IOException {
    hide("nodes");
    assertThat(told()).doesNotContain("NodeGone");
    assertThatContradictionsAreNotLookedAt();
  }

  @Test
  void whoMayNotSeeClassesIsNotToldThatThereIsNone() throws IOException {
    int unused = asking.claim("default", "waits").size();
    hide(Resource.CLASSES.plural());
    assertThat(told()).doesNotContain("ClaimRefused");
  }
}
