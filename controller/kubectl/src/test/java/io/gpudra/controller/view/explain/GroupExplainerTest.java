package io.gpudra.controller.view.explain;

import static io.gpudra.controller.view.Scene.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.Scene;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Members of a group at their gates. */
class GroupExplainerTest {
  private static final Duration MINUTES = Duration.ofMinutes(12);
  private static final Scheduling GATED =
      new Scheduling(
          ImmutableList.of(Scene.DRIVER + "/granted"), "default-scheduler", Optional.empty());

  /** Two nodes with four GPUs, of which three are in use. */
  private static Scene scene() {
    return new Scene()
        .node("worker-1", 2)
        .node("worker-2", 2)
        .granted("team-a/x", MINUTES, "worker-1", whole("worker-1", 0))
        .granted("team-b/y", MINUTES, "worker-1", whole("worker-1", 1))
        .granted("team-b/z", MINUTES, "worker-2", whole("worker-2", 0));
  }

  private static Scene members(Scene scene, int count, String size) {
    for (int i = 0; i < count; i++) {
      String name = "g-" + i;
      scene
          .waiting(name, MINUTES, "")
          .pod(name, MINUTES.plusMinutes(i), Optional.empty(), "Pending", name)
          .scheduling(GATED)
          .member("g", size);
    }
    return scene;
  }

  private static ImmutableList<String> lines(Scene scene) {
    return ClusterExplainer.of(scene.sight(), Situation.pod("team-a", "g-0"))
        .orElseThrow()
        .lines(Scene.NOW);
  }

  @Test
  void aMemberIsToldHowManyAreMissing() {
    assertThat(lines(members(scene(), 2, "3")))
        .contains("group g: 2 of 3 members are at their gates; nothing is allocated before all are")
        .noneMatch(line -> line.contains("it fits on"))
        .contains("place 1 of 1 in the queue; freed devices are offered in this order");
  }

  @Test
  void aMemberIsToldHowManyFitAndWhichClaimsWouldHaveToGo() {
    assertThat(lines(members(scene(), 2, "2")))
        .containsSequence(
            "group g: 2 of 2 members are at their gates",
            "group g: 1 of 2 members fit at once by their devices and there is too little room for"
                + " others like pod g-1",
            "the group can run after the release of team-b/z (held for 12 min)");
    assertThat(lines(members(scene(), 3, "3")))
        .contains(
            "the group can run after the release of team-a/x (held for 12 min) and team-b/z (held"
                + " for 12 min); fewer claims may be enough");
    assertThat(lines(members(scene(), 4, "4")))
        .anyMatch(line -> line.contains("1 of 4 members fit at once"))
        .anyMatch(
            line ->
                line.startsWith("the group can run after the release of ")
                    && line.contains("team-a/x")
                    && line.contains("team-b/y")
                    && line.endsWith("; fewer claims may be enough"));
    assertThat(lines(members(scene(), 5, "5"))).contains("releasing claims would not help");
  }

  @Test
  void aGroupThatFitsIsToldSo() {
    Scene scene = members(scene().node("worker-3", 1), 2, "2");
    assertThat(lines(scene))
        .contains(
            "group g: all 2 members fit at once by their devices (CPU and memory are not judged)");
    assertThat(lines(scene)).as("nothing stays allocated").isEqualTo(lines(scene));
  }

  @Test
  void aQuotaCountsAllMembers() {
    Scene scene = members(scene().node("worker-3", 1), 2, "2").quota("team-a", "two", "gpu", "2");
    assertThat(lines(scene))
        .containsSequence(
            "group g: all 2 members fit at once by their devices (CPU and memory are not judged)",
            "quota \"two\": gpus 1 of 2 in use, 2 more wanted",
            "its quota allows it after the release of team-a/x (held for 12 min)");
  }

  @Test
  void membersThatRunCountAndNeedNothing() {
    Scene scene = members(scene(), 1, "2").running("r", "worker-1", "team-a/x").member("g", "2");
    assertThat(lines(scene))
        .containsSequence(
            "group g: 1 of 1 members are at their gates",
            "group g: all 1 members fit at once by their devices (CPU and memory are not judged)");
  }

  private static Scene withThree(String phase) {
    Scene scene = members(scene(), 1, "4");
    for (int i = 0; i < 3; i++) {
      scene.pod("done-" + i, MINUTES, Optional.of("worker-1"), phase).member("g", "4");
    }
    return scene;
  }

  @Test
  void membersOfTheJobThatSucceededCount() {
    assertThat(lines(withThree("Succeeded")))
        .containsSequence(
            "group g: 1 of 1 members are at their gates",
            "group g: all 1 members fit at once by their devices (CPU and memory are not judged)");
    assertThat(lines(withThree("Failed")))
        .contains(
            "group g: 1 of 4 members are at their gates; nothing is allocated before all are");
  }

  @Test
  void contradictionsAreTold() {
    Scene scene =
        members(scene(), 1, "2")
            .waiting("g-1", MINUTES, "")
            .pod("g-1", MINUTES, Optional.empty(), "Pending", "g-1")
            .scheduling(GATED)
            .member("g", "3");
    assertThat(lines(scene))
        .contains("group g: the size of the group is 2 on pod g-0, and 3 on pod g-1");
  }

  @Test
  void aMemberWithWrongParametersIsNamed() {
    Scene scene = members(scene(), 2, "2").asks("g-1", 1, "{'count': 0}");
    assertThat(lines(scene)).anyMatch(line -> line.startsWith("group g: pod g-1: spec.count: "));
  }

  @Test
  void withoutAnyGateThePodIsExplainedAlone() {
    Scene scene =
        scene()
            .waiting("g-0", MINUTES, "")
            .pod("g-0", MINUTES, Optional.empty(), "Pending", "g-0")
            .member("g", "2");
    assertThat(lines(scene))
        .contains(
            "group g: no member has the scheduling gate, so the pods start one by one",
            "it fits on worker-2 by its devices (CPU and memory are not judged); waiting for a node"
                + " to be chosen");
  }
}
