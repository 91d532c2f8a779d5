package io.gpudra.controller.view.explain;

import static io.gpudra.controller.view.explain.Situation.BOTH;
import static io.gpudra.controller.view.explain.Situation.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.Resources;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.view.Scene;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.WaitDetails.Place;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ClusterExplainerTest {
  private static final String GOLDEN = "io/gpudra/controller/view/explain/explained.txt";

  /** Run with {@code -Dgolden.update=true} to write the file anew, then read the difference. */
  @Test
  void eachShortageAndEachGrantHasItsText() throws IOException {
    String texts =
        Situation.all().entrySet().stream()
            .map(one -> "== %s\n%s\n".formatted(one.getKey(), text(one.getValue())))
            .collect(Collectors.joining());
    if (Boolean.getBoolean("golden.update")) {
      Files.writeString(Path.of("src/test/resources", GOLDEN), texts);
    }
    assertThat(texts)
        .isEqualTo(Resources.toString(Resources.getResource(GOLDEN), StandardCharsets.UTF_8));
  }

  private static String text(Situation situation) {
    ExplainResult explainResult =
        ClusterExplainer.of(situation.scene().sight(), situation.explainTarget()).orElseThrow();
    return String.join("\n", explainResult.lines(Scene.NOW));
  }

  @Test
  void theOrderIsThatOfCreationAndThenOfUid() {
    Duration longer = MINUTES.plusMinutes(1);
    Scene scene =
        Situation.full()
            .waiting("a", MINUTES, "")
            .pending("a", MINUTES, BOTH, "a")
            .waiting("b", MINUTES, "")
            .pending("b", MINUTES, BOTH, "b")
            .waiting("team-b/first", longer, "")
            .immediate("team-b/first")
            .waiting("wrong", longer, "{'count': 0}")
            .pending("wrong", longer, BOTH, "wrong");

    assertThat(place(scene, Situation.claim("team-b", "first"))).contains(new Place(1, 3, 0));
    assertThat(place(scene, Situation.pod("team-a", "a"))).contains(new Place(2, 3, 0));
    assertThat(place(scene, Situation.pod("team-a", "b"))).contains(new Place(3, 3, 0));
    assertThat(place(scene, Situation.pod("team-a", "wrong"))).isEmpty();
  }

  @Test
  void aHigherPriorityComesBeforeALongerWait() {
    Scene scene =
        Situation.full()
            .waiting("old", MINUTES.plusMinutes(1), "")
            .pending("old", MINUTES.plusMinutes(1), BOTH, "old")
            .waiting("high", MINUTES, "")
            .pending("high", MINUTES, BOTH, "high")
            .priority(10)
            .waiting("owned", MINUTES, "")
            .immediate("owned")
            .owned("owned", "high");

    assertThat(place(scene, Situation.claim("team-a", "owned"))).contains(new Place(2, 3, 0));
    assertThat(place(scene, Situation.pod("team-a", "high"))).contains(new Place(1, 3, 0));
    assertThat(place(scene, Situation.pod("team-a", "old"))).contains(new Place(3, 3, 2));
    assertThat(text(new Situation(scene, Situation.pod("team-a", "old"))))
        .contains("place 3 of 3 in the queue, after 2 of higher priority; freed devices");
  }

  @Test
  void aPodAtTheDriversGateHasAPlaceByItsAge() {
    Scene scene =
        Situation.full()
            .waiting("asks", MINUTES, "")
            .pending("asks", MINUTES, BOTH, "asks")
            .waiting("gated", MINUTES, "")
            .pod("gated", MINUTES.plusMinutes(1), Optional.empty(), "Pending", "gated")
            .scheduling(gates(Scene.DRIVER + "/granted", "other.example.com/granted"))
            .waiting("queued", MINUTES, "")
            .pod("queued", MINUTES.plusMinutes(2), Optional.empty(), "Pending", "queued")
            .scheduling(gates(Scene.DRIVER + "/granted", "kueue.x-k8s.io/admission"));

    assertThat(place(scene, Situation.pod("team-a", "gated"))).contains(new Place(1, 2, 0));
    assertThat(place(scene, Situation.pod("team-a", "asks"))).contains(new Place(2, 2, 0));
    assertThat(place(scene, Situation.pod("team-a", "queued"))).isEmpty();
  }

  @Test
  void aPodBeyondAQuotaIsToldTheFigures() {
    Scene scene =
        Situation.full()
            .node("worker-3", 2)
            .waiting("more", MINUTES, "")
            .pending("more", MINUTES, ImmutableSet.of("worker-3"), "more")
            .waiting("now", MINUTES, "")
            .immediate("now");
    String fits = text(new Situation(scene, Situation.pod("team-a", "more")));
    assertThat(fits).contains("it fits on worker-3");

    scene.quota("team-a", "two", "gpu", "2").quota("team-a", "other", "other", "0");
    assertThat(text(new Situation(scene, Situation.pod("team-a", "more"))))
        .contains("quota \"two\": gpus 2 of 2 in use, 1 more wanted")
        .doesNotContain("it fits");
    assertThat(text(new Situation(scene, Situation.claim("team-a", "now"))))
        .contains("quota \"two\": gpus 2 of 2 in use, 1 more wanted")
        .doesNotContain("it fits");

    scene.quota("team-a", "two", "gpu", "3");
    assertThat(text(new Situation(scene, Situation.pod("team-a", "more")))).isEqualTo(fits);
  }

  @Test
  void aPodBeyondAQuotaIsToldWhichClaimsOfItsNamespaceToRelease() {
    Scene scene =
        new Scene()
            .node("worker-1", 8)
            .granted("one", MINUTES, "worker-1", Scene.whole("worker-1", 0))
            .granted(
                "two", MINUTES, "worker-1", Scene.whole("worker-1", 1), Scene.whole("worker-1", 2))
            .granted("team-b/x", MINUTES, "worker-1", Scene.whole("worker-1", 3))
            .quota("team-a", "three", "gpu", "3")
            .waiting("train", MINUTES, "{'count': 1}")
            .pending("train", MINUTES, ImmutableSet.of("worker-1"), "train");
    Situation situation = new Situation(scene, Situation.pod("team-a", "train"));
    assertThat(text(situation))
        .contains("its quota allows it after the release of team-a/one (held for 12 min)\n");

    scene.parameters("train", 1, "{'count': 2}");
    assertThat(text(situation))
        .contains("its quota allows it after the release of team-a/two (held for 12 min)\n");
    scene.parameters("train", 1, "{'count': 3}");
    assertThat(text(situation))
        .contains(
            "its quota allows it after the release of team-a/two (held for 12 min) and team-a/one"
                + " (held for 12 min)\n");
    scene.parameters("train", 1, "{'count': 4}");
    assertThat(text(situation)).contains("releasing claims would not help\n");
  }

  @Test
  void forAQuotaASliceIsReleasedBeforeAWholeGpu() {
    Scene scene =
        new Scene()
            .node(
                "worker-1", DeviceSamples.A100_MIG, DeviceSamples.A100_MIG, DeviceSamples.A100_MIG)
            .granted("all", MINUTES, "worker-1", Scene.whole("worker-1", 0))
            .granted(
                "part",
                MINUTES,
                "worker-1",
                Scene.part("worker-1", 1, DeviceSamples.slice(DeviceSamples.SMALL, 0)))
            .quota("team-a", "little", "gpu", "1.2")
            .waiting("train", MINUTES, "{'migProfile': '1g.10gb'}")
            .pending("train", MINUTES, ImmutableSet.of("worker-1"), "train");
    assertThat(text(new Situation(scene, Situation.pod("team-a", "train"))))
        .contains("its quota allows it after the release of team-a/part (held for 12 min)\n");
  }

  private static String refused(Scene scene, ImmutableSet<String> offered) {
    scene
        .waiting("train", MINUTES, "")
        .pending("train", MINUTES, offered, "train")
        .scheduling(
            new PodView.Scheduling(
                ImmutableList.of(), "default-scheduler", Optional.of("1 Insufficient cpu")));
    return text(new Situation(scene, Situation.pod("team-a", "train")));
  }

  @Test
  void theSchedulerIsToldOnlyWhereItIsNotForDevices() {
    String told = "default-scheduler says: 1 Insufficient cpu";
    assertThat(refused(Situation.full(), BOTH)).doesNotContain(told);
    assertThat(refused(Situation.full(), ImmutableSet.of())).contains(told);
    assertThat(refused(Situation.full().node("worker-3", 1), ImmutableSet.of("worker-3")))
        .contains(told);
    assertThat(refused(Situation.full().node("worker-3", 1), BOTH))
        .as("of a node that it does not consider")
        .contains(told, "it fits on worker-3, which the scheduler does not consider");
  }

  private static PodView.Scheduling gates(String... names) {
    return new PodView.Scheduling(
        ImmutableList.copyOf(names), "default-scheduler", Optional.empty());
  }

  private static Optional<Place> place(Scene scene, ExplainTarget explainTarget) {
    return ClusterExplainer.of(scene.sight(), explainTarget)
        .orElseThrow()
        .waiting()
        .flatMap(WaitDetails::place);
  }

  @Test
  void whatIsNotInSightIsNotExplained() {
    assertThat(ClusterExplainer.of(Situation.full().sight(), Situation.pod("team-a", "x")))
        .isEmpty();
    assertThat(ClusterExplainer.of(Situation.full().sight(), Situation.claim("team-b", "x")))
        .isEmpty();
    assertThat(ExplainTarget.of("team-a", "deployment/x")).isEmpty();
  }

  @Test
  void askingHoldsNothing() {
    UserView userView =
        Situation.full()
            .node("worker-3", 1)
            .waiting("train", MINUTES, "")
            .immediate("train")
            .sight();
    ClusterExplainer.of(userView, Situation.claim("team-a", "train"));

    assertThat(userView.cluster().ledgers().ledger("worker-3").holds()).isEmpty();
  }
}
