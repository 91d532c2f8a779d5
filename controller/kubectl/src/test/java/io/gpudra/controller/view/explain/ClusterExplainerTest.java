package io.gpudra.controller.view.explain;

import static io.gpudra.controller.view.explain.Situation.BOTH;
import static io.gpudra.controller.view.explain.Situation.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.Resources;
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
