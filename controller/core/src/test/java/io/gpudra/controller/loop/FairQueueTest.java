package io.gpudra.controller.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FairQueueTest {
  private final FairQueue fairQueue = new FairQueue();

  private void add(String namespace, String... names) {
    for (String name : names) {
      fairQueue.add(new ObjectKey(namespace, name));
    }
  }

  private List<String> takeAllBut(String passedOver) {
    List<String> taken = new ArrayList<>();
    Optional<ObjectKey> next = fairQueue.poll(namespace -> !namespace.equals(passedOver));
    while (next.isPresent()) {
      taken.add(next.get().toString());
      next = fairQueue.poll(namespace -> !namespace.equals(passedOver));
    }
    return taken;
  }

  @Test
  void oneKeyOfEachNamespaceInTurnAndTheOldestFirst() {
    add("crowd", "1", "2", "3");
    add("few", "1", "2");
    add("late", "1");

    assertThat(takeAllBut("nobody"))
        .containsExactly("crowd/1", "few/1", "late/1", "crowd/2", "few/2", "crowd/3");
    assertThat(fairQueue.size()).isZero();
  }

  @Test
  void whoMayNotHaveATurnKeepsItsPlace() {
    add("busy", "1", "2");
    add("other", "1", "2");

    assertThat(takeAllBut("busy")).containsExactly("other/1", "other/2");
    add("other", "3");
    assertThat(takeAllBut("nobody")).containsExactly("busy/1", "other/3", "busy/2");
  }

  @Test
  void aKeyIsThereOnceAndCanBeTakenOut() {
    add("ns", "1", "1", "2");
    assertThat(fairQueue.size()).isEqualTo(2);
    fairQueue.remove(new ObjectKey("ns", "1"));
    fairQueue.remove(new ObjectKey("ns", "1"));
    fairQueue.remove(new ObjectKey("unknown", "1"));

    assertThat(fairQueue.size()).isEqualTo(1);
    assertThat(takeAllBut("nobody")).containsExactly("ns/2");
  }

  @Test
  void whoseLastKeyIsTakenOutHasNoTurn() {
    assertThat(fairQueue.add(new ObjectKey("gone", "1"))).isTrue();
    assertThat(fairQueue.add(new ObjectKey("gone", "1"))).as("there already").isFalse();
    fairQueue.remove(new ObjectKey("gone", "1"));
    add("ns", "1");

    assertThat(takeAllBut("nobody")).containsExactly("ns/1");
  }
}
