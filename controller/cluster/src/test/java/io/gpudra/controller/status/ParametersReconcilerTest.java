package io.gpudra.controller.status;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.DRIVER;
import static io.gpudra.controller.gpu.cel.DeviceSamples.T4;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.loop.WorkQueue;
import io.gpudra.crds.model.node.Inventory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When the status of parameters is written. The time is the test's, which only waiting passes. */
class ParametersReconcilerTest {
  private static final ObjectKey ONE = new ObjectKey("team-a", "one");
  private static final ObjectKey CLASS = new ObjectKey("", "gpu-class");
  private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");

  private final StatusStore store = new StatusStore();
  private List<Inventory> nodes = List.of(node("worker-1", A100, A100));
  private long nanos;

  /** Of each evaluation. */
  private long cost;

  private final Clock clock =
      ((InstantSource) () -> START.plusNanos(nanos)).withZone(ZoneOffset.UTC);

  private Leader leader = new Leader();

  /** One process that leads. */
  private final class Leader {
    final WorkQueue queue = new WorkQueue(() -> nanos);
    final StatusRateLimiter statusRateLimiter =
        new StatusRateLimiter(Duration.ofMillis(50), () -> nanos, waited -> nanos += waited);
    int enqueued;
    final ParametersReconciler reconciler =
        new ParametersReconciler(
            store,
            new ParametersReconciler.Nodes(
                DRIVER, new ParametersReader(DRIVER, new DeviceSamples.Told()), () -> nodes),
            statusRateLimiter,
            new ParametersReconciler.Times(clock, () -> nanos += cost),
            this::enqueue);
    final WorkLoop loop = new WorkLoop("parameters", queue, reconciler, new MetricRegistry());

    private void enqueue(ObjectKey key) {
      enqueued++;
      queue.add(key);
    }

    void begin() {
      queue.addFirst(ParametersReconciler.NODES);
      settle();
    }

    void settle() {
      while (loop.runOnce()) {
        assertThat(store.writes).as("it comes to an end").hasSizeLessThan(100_000);
      }
    }
  }

  private void edit(ObjectKey key, String spec) {
    store.put(key, spec);
    leader.reconciler.edited(key);
    leader.queue.addFirst(key);
    leader.settle();
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    leader.settle();
  }

  @Test
  void whatIsThereWhenLeadershipBeginsIsWrittenOnce() {
    store.put(ONE, "{'count':2}");
    store.put(CLASS, "{}");
    leader.begin();

    assertThat(store.writes).containsExactlyInAnyOrder(ONE, CLASS);
    assertThat(store.status(ONE).observedGeneration()).isEqualTo(1);
    assertThat(store.status(ONE).summary()).isEqualTo("2 GPUs");
    assertThat(store.status(CLASS).matchingDevices()).isEqualTo(2);
    assertThat(store.condition(ONE, "Valid").lastTransitionTime())
        .isEqualTo("2026-11-21T08:00:00Z");

    for (int i = 0; i < 10; i++) {
      pass(Duration.ofMinutes(1));
    }
    assertThat(store.writes).as("nothing changed").hasSize(2);
  }

  @Test
  void anEditIsJudgedAtOnceAndWrittenWhenItDiffers() {
    leader.begin();
    edit(ONE, "{'count':2}");
    assertThat(store.status(ONE).matchingNodes()).isOne();

    edit(ONE, "{'count':3}");
    assertThat(store.writes).hasSize(2);
    assertThat(store.status(ONE).observedGeneration()).isEqualTo(2);
    assertThat(store.condition(ONE, "Satisfiable").message())
        .isEqualTo("spec.count: largest node has 2 GPUs, 3 wanted");

    leader.queue.addFirst(ONE);
    leader.settle();
    assertThat(store.writes).as("looked at again").hasSize(2);
  }

  @Test
  void aConditionThatStaysKeepsItsTime() {
    leader.begin();
    edit(ONE, "{'count':2}");
    pass(Duration.ofSeconds(10));
    edit(ONE, "{'count':3}");

    assertThat(store.condition(ONE, "Valid").lastTransitionTime())
        .isEqualTo("2026-11-21T08:00:00Z");
    assertThat(store.condition(ONE, "Satisfiable").lastTransitionTime())
        .isEqualTo("2026-11-21T08:00:10Z");
  }

  @Test
  void changesOfTheNodesAreLookedAtOnceAMinute() {
    store.put(ONE, "{'count':2}");
    leader.begin();
    for (int i = 0; i < 59; i++) {
      nodes = IntStream.rangeClosed(0, i).mapToObj(n -> node("n" + n, A100, A100)).toList();
      pass(Duration.ofSeconds(1));
    }
    assertThat(store.writes).hasSize(1);

    pass(Duration.ofSeconds(1));
    assertThat(store.writes).hasSize(2);
    assertThat(store.status(ONE).matchingNodes()).isEqualTo(59);

    pass(Duration.ofMinutes(5));
    assertThat(store.writes).as("the nodes are as they were").hasSize(2);
  }

  /** What is judged in between is judged by what was seen: no object changes more often. */
  @Test
  void anEditBetweenTwoLooksDoesNotLookAtTheNodes() {
    leader.begin();
    nodes = List.of(node("worker-1", A100), node("worker-2", T4));
    edit(ONE, "{}");
    assertThat(store.status(ONE).matchingDevices()).isEqualTo(2);

    pass(Duration.ofMinutes(1));
    assertThat(store.writes).hasSize(2);
    assertThat(store.status(ONE).matchingNodes()).isEqualTo(2);
  }

  @Test
  void theFirstNodeOfAClusterIsSeenWithinASecond() {
    nodes = List.of();
    store.put(ONE, "{}");
    leader.begin();
    assertThat(store.condition(ONE, "Satisfiable").reason()).isEqualTo("NoInventory");

    nodes = List.of(node("worker-1", A100));
    pass(Duration.ofSeconds(1));
    assertThat(store.condition(ONE, "Satisfiable").reason()).isEqualTo("DevicesExist");
  }

  @Test
  void aNewLeaderWritesOnlyWhatDiffers() {
    store.put(ONE, "{}");
    leader.begin();
    ObjectKey two = new ObjectKey("team-a", "two");
    store.put(two, "{}");

    leader = new Leader();
    leader.begin();

    assertThat(store.writes).containsExactly(ONE, two);
  }

  @Test
  void whatCannotBeJudgedStopsNobodyElse() {
    ObjectKey bad = new ObjectKey("team-a", "bad");
    store.put(bad, "{}");
    store.put(ONE, "{}");
    store.poisoned.add(bad);
    leader.begin();

    assertThat(store.writes).containsExactly(ONE);
    for (int i = 0; i < 600; i++) {
      pass(Duration.ofSeconds(1));
    }
    store.poisoned.clear();
    pass(Duration.ofMinutes(1));
    assertThat(store.writes).containsExactly(ONE, bad);
  }

  @Test
  void whatIsRefusedIsLeftUntilItChangesAndWhatIsUnclearIsNot() {
    store.put(ONE, "{}");
    store.answers.put(ONE, Kind.REJECTED);
    leader.begin();
    pass(Duration.ofMinutes(10));
    assertThat(store.writes).hasSize(1);

    store.answers.put(ONE, Kind.UNCLEAR);
    edit(ONE, "{'count':2}");
    pass(Duration.ofSeconds(1));
    assertThat(store.writes.size()).isGreaterThan(2);
    store.answers.clear();
    pass(Duration.ofMinutes(2));
    assertThat(store.status(ONE).observedGeneration()).isEqualTo(2);
  }

  @Test
  void whatIsGoneIsForgotten() {
    leader.begin();
    for (int i = 0; i < 10_000; i++) {
      leader.queue.addFirst(new ObjectKey("team-a", "gone-" + i));
    }
    leader.settle();

    assertThat(nanos).as("nobody waited").isZero();
    assertThat(leader.queue.depth()).isZero();
  }

  /** And an edit of another namespace does not wait for them. */
  @Test
  void tenThousandObjectsAreWrittenTwentyASecond() {
    for (int i = 0; i < 10_000; i++) {
      store.put(new ObjectKey("team-a", "o" + i), "{'count':2}");
    }
    leader.queue.addFirst(ParametersReconciler.NODES);
    for (int i = 0; i < 100; i++) {
      assertThat(leader.loop.runOnce()).isTrue();
    }
    ObjectKey other = new ObjectKey("team-b", "other");
    store.put(other, "{}");
    leader.queue.addFirst(other);
    assertThat(leader.loop.runOnce()).isTrue();
    assertThat(store.writes).endsWith(other).hasSize(100);

    leader.settle();
    assertThat(store.writes).hasSize(10_001);
    assertThat(Duration.ofNanos(nanos)).isEqualTo(Duration.ofMillis(50).multipliedBy(10_000));
  }

  @Test
  void objectsThatTakeLongKeepNoOtherNamespaceWaiting() {
    cost = Duration.ofMillis(200).toNanos();
    for (int i = 1; i <= 10; i++) {
      store.put(new ObjectKey("team-a", "o" + i), "{'count':%d}".formatted(i));
    }
    ObjectKey other = new ObjectKey("team-b", "other");
    store.put(other, "{'count':11}");
    leader.begin();
    assertThat(store.writes).hasSize(2).contains(other);

    for (int i = 2; i <= 10; i++) {
      pass(Duration.ofSeconds(2));
      assertThat(store.writes).hasSize(i + 1);
    }
    assertThat(store.writes).doesNotHaveDuplicates();
  }

  @Test
  void anEditDuringARestComesBeforeTheOthersOfItsNamespace() {
    cost = Duration.ofMillis(200).toNanos();
    for (int i = 1; i <= 10; i++) {
      store.put(new ObjectKey("team-a", "o" + i), "{'count':%d}".formatted(i));
    }
    leader.begin();
    edit(ONE, "{'count':11}");
    assertThat(store.writes).doesNotContain(ONE);

    pass(Duration.ofSeconds(2));
    assertThat(store.writes).hasSize(2).endsWith(ONE);
  }

  @Test
  void newNamesOfGpusConcernConditionsThatReadNamesOnly() {
    ObjectKey named = new ObjectKey("team-a", "named");
    store.put(named, "{'cel':\"device.uuid.endsWith('-new')\"}");
    store.put(ONE, "{'cel':\"device.index < 4\"}");
    store.put(CLASS, "{'cel':\"device.minor == 0\"}");
    leader.begin();
    assertThat(leader.enqueued).isEqualTo(3);
    assertThat(store.status(named).matchingNodes()).isZero();

    Inventory before = nodes.get(0);
    nodes =
        List.of(
            before.bare(
                "worker-1",
                before.gpus().stream()
                    .map(gpu -> gpu.toBuilder().uuid(gpu.uuid() + "-new").build())
                    .collect(ImmutableList.toImmutableList()),
                before.links()));
    pass(Duration.ofMinutes(1));
    assertThat(leader.enqueued).isEqualTo(5);
    assertThat(store.status(named).matchingNodes()).isOne();
  }

  @Test
  void aLookAtTheNodesThatTakesLongKeepsNoClassWaiting() {
    cost = Duration.ofSeconds(10).toNanos();
    store.put(CLASS, "{}");
    leader.begin();

    assertThat(store.writes).containsExactly(CLASS);
  }

  @Test
  void whatAClassForbidsIsHeededAtOnceAndUntilNoClassDoes() {
    store.put(ONE, "{'cel':\"device.node == 'worker-1'\"}");
    store.put(CLASS, "{'forbiddenAttributes':['uuid']}");
    leader.begin();
    assertThat(store.status(ONE).matchingNodes()).isOne();

    edit(CLASS, "{'forbiddenAttributes':['node']}");
    assertThat(store.condition(ONE, "Satisfiable").reason()).isEqualTo("AttributeForbidden");
    assertThat(store.status(ONE).matchingNodes()).isNull();

    pass(Duration.ofMinutes(1));
    assertThat(store.status(ONE).matchingNodes()).as("at the next look").isNull();

    store.objects.remove(CLASS);
    pass(Duration.ofMinutes(1));
    assertThat(store.status(ONE).matchingNodes()).as("the class is gone").isOne();
  }

  @Test
  void aNewLeaderKnowsWhatIsForbiddenBeforeItCounts() {
    store.put(ONE, "{'cel':\"device.node == 'worker-1'\"}");
    store.put(CLASS, "{'forbiddenAttributes':['node']}");
    leader.begin();

    assertThat(store.writes).hasSize(2);
    assertThat(store.status(ONE).matchingNodes()).isNull();
  }
}
