package io.gpudra.controller.gate.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When the server is asked for members of groups. */
final class GroupLooksTest {
  private static final ObjectKey GROUP = new ObjectKey("team-a", "group/g");
  private static final int GROUPS = 1_000;

  private final AtomicLong now = new AtomicLong();
  private final GroupLooks looks = new GroupLooks(now::get);

  private void elapse(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private static ObjectKey group(String namespace, int number) {
    return new ObjectKey(namespace, "group/" + number);
  }

  @Test
  void theFirstLookComesOnceTheMembersOfAJobAreCreated() {
    assertThat(looks.left(GROUP)).isEqualTo(ControllerDelays.REGROUP);
    elapse(ControllerDelays.REGROUP);

    assertThat(looks.isKnown(GROUP)).isFalse();
    assertThat(looks.left(GROUP)).isZero();
    assertThat(looks.isKnown(GROUP)).isTrue();
    assertThat(looks.left(GROUP)).isEqualTo(ControllerDelays.GROUP_LOOK);
  }

  /** Counts the looks while each group asks again when it was told to. */
  private Map<String, Integer> looks(Map<ObjectKey, Long> next, Duration time) {
    Map<String, Integer> counts = new HashMap<>();
    long end = now.get() + time.toNanos();
    for (; now.get() < end; elapse(Duration.ofMillis(10))) {
      next.replaceAll(
          (group, at) -> {
            if (at > now.get()) {
              return at;
            }
            Duration left = looks.left(group);
            counts.merge("asked", 1, Integer::sum);
            if (left.isZero()) {
              counts.merge(group.namespace(), 1, Integer::sum);
              looks.ended(group);
            }
            return now.get() + left.toNanos();
          });
    }
    return counts;
  }

  @Test
  void thousandsOfGroupsOfANamespaceAreLookedForOneAfterTheOther() {
    Map<ObjectKey, Long> groups = new HashMap<>();
    IntStream.range(0, GROUPS).forEach(i -> groups.put(group("team-a", i), 0L));
    groups.put(group("team-b", 0), 0L);
    Map<String, Integer> counts = looks(groups, Duration.ofSeconds(60));

    assertThat(counts.get("team-a")).isBetween(60, 120);
    assertThat(counts.get("team-b")).isGreaterThanOrEqualTo(10);
    assertThat(counts.get("asked")).isLessThan(3 * GROUPS);
  }

  @Test
  void allNamespacesTogetherHaveALimit() {
    Map<ObjectKey, Long> groups = new HashMap<>();
    IntStream.range(0, GROUPS).forEach(i -> groups.put(group("team-" + i, 0), 0L));
    Map<String, Integer> counts = looks(groups, Duration.ofSeconds(10));
    counts.remove("asked");

    assertThat(counts.values().stream().mapToInt(Integer::intValue).sum()).isBetween(100, 200);
  }

  @Test
  void aNamespaceHasOneListAtATimeHoweverLongItTakes() {
    Map<ObjectKey, Long> groups = new HashMap<>();
    IntStream.range(1, GROUPS).forEach(i -> groups.put(group("team-a", i), 0L));
    looks.left(GROUP);
    elapse(ControllerDelays.REGROUP);
    assertThat(looks.left(GROUP)).isZero();
    Map<String, Integer> counts = looks(groups, Duration.ofSeconds(60));

    assertThat(counts.get("team-a")).isNull();
    assertThat(counts.get("asked")).isLessThan(3 * GROUPS);
    looks.ended(GROUP);
    assertThat(looks(groups, Duration.ofSeconds(60)).get("team-a")).isPositive();
  }

  @Test
  void aGroupIsForgotten() {
    looks.left(GROUP);
    looks.forget(GROUP);

    assertThat(looks.size()).isZero();
    assertThat(looks.left(GROUP)).isEqualTo(ControllerDelays.REGROUP);
  }
}
