package io.gpudra.controller.view.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.Scene;
import io.gpudra.controller.view.explain.GroupsAtGates.SeenNotice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** For which of the groups at their gates nodes are kept. */
class GroupsAtGatesTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Scheduling GATED =
      new Scheduling(
          ImmutableList.of(Scene.DRIVER + "/granted"), "default-scheduler", Optional.empty());

  private final Scene scene = new Scene();

  private void member(String pod, Duration age, String group) {
    member(pod, age, group, GATED);
  }

  private void member(String pod, Duration age, String group, Scheduling scheduling) {
    scene
        .waiting(pod, age, "")
        .pod(pod, age, Optional.empty(), "Pending", pod)
        .scheduling(scheduling)
        .member(group, "2");
  }

  private static SeenNotice notice(String namespace, String pod, Duration age, Duration left) {
    return notice(namespace, pod, age, "until %s: worker-1".formatted(Scene.NOW.plus(left)));
  }

  private static SeenNotice notice(String namespace, String pod, Duration age, String text) {
    Instant at = Scene.NOW.minus(age);
    return new SeenNotice(namespace, pod, at, "nodes are kept for the group " + text);
  }

  private Optional<String> kept(SeenNotice... notices) {
    return new GroupsAtGates(scene.sight())
        .kept(List.of(notices), Scene.NOW)
        .map(group -> group.namespace() + "/" + group.group());
  }

  @Test
  void theLatestNoticeCounts() {
    member("team-a/a-0", MINUTE, "a");
    member("team-b/b-0", MINUTE, "b");
    SeenNotice first = notice("team-a", "a-0", MINUTE.multipliedBy(2), MINUTE);
    SeenNotice then = notice("team-b", "b-0", MINUTE, MINUTE);

    assertThat(kept(first, then)).hasValue("team-b/b");
    assertThat(kept(then, first)).hasValue("team-b/b");
    assertThat(kept(first)).hasValue("team-a/a");
    assertThat(kept()).isEmpty();
  }

  @Test
  void aNoticeThatIsOverOrDoesNotComeAgainDoesNotCount() {
    member("team-a/a-0", MINUTE, "a");
    assertThat(kept(notice("team-a", "a-0", MINUTE, Duration.ZERO))).isEmpty();
    assertThat(kept(notice("team-a", "a-0", Duration.ofMinutes(10), MINUTE))).isEmpty();
    assertThat(kept(notice("team-a", "a-0", MINUTE, "for ever"))).isEmpty();
    assertThat(kept(notice("team-a", "a-0", Duration.ofSeconds(599), MINUTE))).hasValue("team-a/a");
  }

  @Test
  void nodesThatAreKeptNoLongerDoNotCount() {
    member("team-a/a-0", MINUTE, "a");
    member("team-a/a-1", MINUTE, "a");
    member("team-b/b-0", MINUTE, "b");
    Duration earlier = MINUTE.multipliedBy(2);
    SeenNotice first = notice("team-a", "a-0", earlier, MINUTE);
    SeenNotice end =
        new SeenNotice("team-a", "a-1", Scene.NOW.minus(MINUTE), KeptNodesNotice.ENDED);

    assertThat(kept(first, end)).isEmpty();
    assertThat(kept(first, end, notice("team-a", "a-0", Duration.ZERO, MINUTE)))
        .as("kept again")
        .hasValue("team-a/a");
    assertThat(kept(notice("team-b", "b-0", earlier, MINUTE), end))
        .as("the end of another turn")
        .hasValue("team-b/b");
  }

  @Test
  void aNoticeFromTheFutureDoesNotCount() {
    member("team-a/a-0", MINUTE, "a");
    member("team-b/b-0", MINUTE, "b");
    SeenNotice real = notice("team-a", "a-0", MINUTE, MINUTE);
    SeenNotice forged = notice("team-b", "b-0", Duration.ofSeconds(-61), MINUTE);

    assertThat(kept(real, forged)).hasValue("team-a/a");
    assertThat(kept(forged)).isEmpty();
    assertThat(kept(notice("team-b", "b-0", MINUTE.negated(), MINUTE))).hasValue("team-b/b");
  }

  @Test
  void anEventOfATenantHidesNoNotice() {
    member("team-a/a-0", MINUTE, "a");
    SeenNotice real = notice("team-a", "a-0", MINUTE, MINUTE);
    SeenNotice noText = notice("team-b", "b-0", Duration.ZERO, "for ever");
    SeenNotice noGroup = notice("team-b", "b-0", Duration.ZERO, MINUTE);

    assertThat(kept(noText, real)).hasValue("team-a/a");
    assertThat(kept(noGroup, real)).hasValue("team-a/a");
  }

  @Test
  void aGroupThatWaitsNoMoreDoesNotCount() {
    member("team-a/a-0", MINUTE, "a", Scheduling.USUAL);
    scene.running("team-a/a-1", "worker-1").member("a", "2");
    assertThat(kept(notice("team-a", "a-0", MINUTE, MINUTE))).isEmpty();
    assertThat(kept(notice("team-a", "a-1", MINUTE, MINUTE))).isEmpty();
    assertThat(kept(notice("team-b", "a-0", MINUTE, MINUTE))).isEmpty();
  }

  @Test
  void thePriorityOfTheGroupIsTheLowestOfItsMembers() {
    member("team-a/a-0", MINUTE, "a");
    scene.priority(7).member("a", "2");
    member("team-a/a-1", MINUTE, "a");
    scene.priority(3).member("a", "2");
    assertThat(
            new GroupsAtGates(scene.sight())
                .kept(List.of(notice("team-a", "a-0", MINUTE, MINUTE)), Scene.NOW))
        .map(GroupWithNodes::priority)
        .hasValue(3);
  }

  @Test
  void theNamespacesOfTheFirstGroupsAreAsked() {
    for (int i = 0; i < 20; i++) {
      member("team-%02d/g-0".formatted(i), MINUTE.multipliedBy(i), "g");
      member("team-%02d/h-0".formatted(i), MINUTE.multipliedBy(i), "h");
    }
    assertThat(new GroupsAtGates(scene.sight()).namespaces())
        .hasSize(16)
        .startsWith("team-19", "team-18")
        .endsWith("team-04");
  }
}
