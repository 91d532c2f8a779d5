package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.client.EventSink.Subject;
import io.gpudra.controller.client.EventSink.Warning;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WarningQueueTest {
  private static final int MAX = 100;
  private static final long MAX_BYTES = 1 << 20;
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final WarningQueue queue = new WarningQueue(MAX, MAX_BYTES, LONGEST);
  private Instant now = Instant.parse("2026-11-21T10:00:00Z");

  private static Warning warning(String namespace, String name, String reason, String message) {
    Subject subject = new Subject("v1", "Pod", namespace, name, "uid-" + name);
    return new Warning(subject, reason, Set.of(), message);
  }

  private boolean add(String namespace, String name, String reason) {
    return add(warning(namespace, name, reason, "m"));
  }

  private boolean add(Warning warning) {
    return queue.add(warning.subject().namespace(), warning, now);
  }

  private List<String> pollAll() {
    return pollAll(queue);
  }

  private List<String> pollAll(WarningQueue queue) {
    List<String> names = new ArrayList<>();
    for (Optional<Warning> next = queue.poll(now); next.isPresent(); next = queue.poll(now)) {
      names.add(next.get().subject().name());
    }
    return names;
  }

  @Test
  void aFloodOfOneKindLeavesRoomForAnother() {
    for (int i = 0; i < 10_000; i++) {
      boolean unused = add("ns", "flood-" + i, "NoFreeDevice");
    }
    assertThat(queue.size()).isEqualTo(MAX);

    assertThat(add("ns", "typo", "InvalidParameters")).as("one of the flood is lost").isFalse();
    for (int i = 0; i < 10_000; i++) {
      boolean unused = add("ns", "more-" + i, "NoFreeDevice");
    }

    assertThat(pollAll()).hasSize(MAX).element(1).isEqualTo("typo");
  }

  @Test
  void aFloodFromOneNamespaceLeavesRoomForAnother() {
    for (int i = 0; i < 10_000; i++) {
      boolean unused = add("loud", "flood-" + i, "NoFreeDevice");
    }
    boolean unused = add("quiet", "mine", "NoFreeDevice");

    assertThat(pollAll()).hasSize(MAX).element(1).isEqualTo("mine");
  }

  @Test
  void lanesTakeTurnsAndEachKeepsItsOrder() {
    for (String name : List.of("a1", "a2", "a3", "b1", "b2", "c1")) {
      assertThat(add(name.substring(0, 1), name, "R")).isTrue();
    }

    assertThat(pollAll()).containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
  }

  @Test
  void theSameAgainWaitsOnceWithItsLastMessage() {
    boolean first = add(warning("ns", "a", "R", "2 of 8"));
    boolean second = add(warning("ns", "a", "R", "3 of 8"));

    assertThat(first && second).isTrue();
    assertThat(queue.size()).isEqualTo(1);
    assertThat(queue.poll(now)).map(Warning::message).contains("3 of 8");
  }

  @Test
  void whatWaitedTooLongIsNoNews() {
    boolean old = add("ns", "old", "R");
    now = now.plus(LONGEST).plusNanos(1);
    boolean fresh = add("ns", "fresh", "R");

    assertThat(old && fresh).isTrue();
    assertThat(pollAll()).containsExactly("fresh");
    assertThat(queue.size()).isZero();
  }

  @Test
  void whatIsLargeTakesItsOwnRoomHoweverFewThereAre() {
    for (int i = 0; i < MAX / 2; i++) {
      boolean unused = add("quiet", "small-" + i, "NoFreeDevice");
    }
    for (int i = 0; i < MAX / 2; i++) {
      Subject subject = new Subject("v1", "Pod", "loud", "large-" + i, "uid-" + i);
      String cause = ("field " + i).repeat(10_000);
      boolean unused = add(new Warning(subject, "InvalidParameters", Set.of(cause), "m"));
    }

    List<String> told = pollAll();
    assertThat(told).filteredOn(name -> name.startsWith("small")).hasSize(MAX / 2);
    assertThat(told).filteredOn(name -> name.startsWith("large")).hasSizeBetween(1, 7);
  }

  @Test
  void ofTooManyTheLaneWithMostMakesRoomAndNotTheOneWithTheLongest() {
    WarningQueue few = new WarningQueue(4, MAX_BYTES, LONGEST);
    for (String name : List.of("a1", "a2", "b1", "b2", "a3")) {
      Subject subject = new Subject("v1", "Pod", name.substring(0, 1), name, "uid");
      Set<String> causes = name.startsWith("b") ? Set.of("long".repeat(1000)) : Set.of();
      boolean unused = few.add(subject.namespace(), new Warning(subject, "R", causes, "m"), now);
    }

    assertThat(pollAll(few)).containsExactly("a2", "b1", "a3", "b2");
  }

  @Test
  void whatIsKeptForTextsTakesRoomAlsoWhenItIsKeptInsteadOfLess() {
    for (int i = 0; i < MAX / 2; i++) {
      Warning small = warning("ns", "w" + i, "NoFreeDevice", "m");
      boolean unused = add(small);
      unused =
          add(
              new Warning(
                  small.subject(),
                  small.reason(),
                  small.causes(),
                  small.text(),
                  MAX_BYTES / 8,
                  EventSink.Type.WARNING));
    }

    assertThat(pollAll()).hasSize(7);
    assertThat(add("ns", "next", "NoFreeDevice")).as("there is room again").isTrue();
  }

  @Test
  void whatIsToldAtTheEndOfTimeIsNews() {
    now = Instant.MIN;
    assertThat(add("ns", "old", "NoFreeDevice")).isTrue();
    now = Instant.MAX;
    assertThat(add("ns", "new", "NoFreeDevice")).isTrue();

    assertThat(pollAll()).containsExactly("new");
  }
}
