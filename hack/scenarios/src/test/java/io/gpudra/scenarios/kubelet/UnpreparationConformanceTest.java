package io.gpudra.scenarios.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.scenarios.kubelet.ScriptedPlugin.Answer;
import io.gpudra.scenarios.kubelet.ScriptedPlugin.Call;
import io.gpudra.scenarios.kubelet.ScriptedPlugin.Script;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What happens when the containers of a pod have ended. */
@ResourceLock(value = RealKubelet.NODE, mode = ResourceAccessMode.READ)
class UnpreparationConformanceTest extends KubeletCase {
  /** What there was when the plugin was asked to unprepare. */
  private final List<String> seen = new CopyOnWriteArrayList<>();

  @BeforeEach
  void serve() throws IOException {
    stage.servePlugin();
    stage.makeDevices("x", "y");
    stage.plugin.onUnprepare(this::look);
  }

  private Map<String, Answer> look(List<Claim> claims) throws Exception {
    String pod =
        stage.pod(stage.namespace, "p").map(Stage::podState).orElse("gone")
            + (stage.runs("p") ? ", runs" : ", does not run");
    boolean requested =
        stage
            .claim(stage.namespace, "c")
            .filter(c -> c.at("/status/deallocationRequested").asBoolean())
            .isPresent();
    seen.add(pod + (requested ? ", deallocation requested" : ""));
    return ScriptedPlugin.SUCCESS.answers(claims);
  }

  @Test
  void containersStopThenClaimsAreUnpreparedThenThePodEndsAndGoes() throws Exception {
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    stage.deleteAndAwait("p");
    assertThat(seen).containsExactly("deleting Running running, does not run");
    assertThat(stage.history("p"))
        .containsExactly(
            "Pending",
            "Pending waiting ContainerCreating",
            "Running running",
            "deleting Running running",
            "deleting Failed terminated",
            "gone");
  }

  @Test
  void aPodStaysUntilItsClaimsAreUnprepared() throws Exception {
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    stage.plugin.onUnprepare(
        claims -> {
          look(claims);
          return Script.each(Answer.failed("busy")).answers(claims);
        });
    stage.delete(stage.namespace, "p");
    awaitAsked(6);
    stage.plugin.onUnprepare(this::look);
    stage.awaitGone("p");
    List<Call> calls = stage.plugin.calls();
    assertThat(calls.get(calls.size() - 1)).hasToString("unprepare c=x");
    // The first few come when the kubelet looks for its containers again.
    assertThat(between(calls.get(4), calls.get(5)))
        .isGreaterThanOrEqualTo(kubelet.podRetry().least());
    assertThat(seen)
        .startsWith("deleting Running running, does not run")
        .endsWith("deleting Running terminated, does not run");
  }

  @Test
  void aPodDeletedByForceIsGoneFirstAndItsClaimGivenBackBeforeTheNodeKnows() throws Exception {
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    stage.deleteByForce(stage.namespace, "p");
    awaitAsked(2);
    stage.until("it has looked", () -> !seen.isEmpty());
    assertThat(seen).containsExactly("gone, does not run, deallocation requested");
    assertThat(asked()).containsExactly("prepare c=x", "unprepare c=x");
  }

  @Test
  void aPodAndAClaimOfTheSameNamesAreOthers() throws Exception {
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    stage.deleteAndAwait("p");
    stage.deleteClaim(stage.namespace, "c");
    stage.allocated("c", "y");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    assertThat(asked()).containsExactly("prepare c=x", "unprepare c=x", "prepare c=y");
    assertThat(stage.devicesOf("p", "ctr")).containsExactly("y");
    assertThat(stage.plugin.calls().get(2).claims().get(0).getUid()).isEqualTo(stage.uid("c"));
  }

  @Test
  void aClaimOfANameThatIsStillPreparedIsTakenForTheOldOne() throws Exception {
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    String old = stage.uid("c");
    stage.plugin.onUnprepare(Script.each(Answer.failed("busy")));
    stage.deleteByForce(stage.namespace, "p");
    stage.deleteClaim(stage.namespace, "c");
    awaitAsked(2);
    stage.allocated("c", "y");
    stage.schedule("q", "c");
    stage.awaitRunning("q");
    assertThat(stage.devicesOf("q", "ctr")).containsExactly("x");
    assertThat(asked()).containsOnlyOnce("prepare c=x").doesNotContain("prepare c=y");
    stage.plugin.onUnprepare(this::look);
    stage.deleteAndAwait("q");
    Call last = stage.plugin.calls().get(asked().size() - 1);
    assertThat(last).hasToString("unprepare c=x");
    assertThat(last.claims().get(0).getUid()).isEqualTo(old);
  }
}
