package io.gpudra.controller.dra.queue;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeChoice.AnyNode;
import io.gpudra.controller.dra.NodeChoice.AnyOf;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** In which order devices that become free reach those that wait for them. */
final class OrderPropertiesTest {
  private static final ImmutableSet<String> NODES = ImmutableSet.of("a", "b");

  /** A pod that asks for a device; one with a context has a node selected for it. */
  private record Pod(int number, int priority, boolean hasContext) {
    Waiter waiter() {
      WaitRank rank = new WaitRank(priority, Some.EPOCH.plusSeconds(number));
      return new Waiter(rank, "uid", WorkKey.context(new ObjectKey("ns", "w" + number)));
    }

    static Pod of(int number, int kind) {
      return new Pod(number, kind % 3 - 1, kind / 3 % 2 == 1);
    }
  }

  /** What happens next. */
  private enum Event {
    ARRIVES,
    FREES,
    IS_EVALUATED
  }

  private record Step(Event event, int choice) {}

  /** Two nodes, the pods that wait, and those that are woken. */
  private static final class Cluster {
    private final Map<String, Integer> free = new HashMap<>();
    private final Map<WorkKey, Pod> pods = new HashMap<>();
    private final List<WorkKey> woken = new ArrayList<>();
    private final List<Pod> served = new ArrayList<>();

    /** The nodes whose devices a pod waits for. */
    private final Map<Pod, ImmutableSet<String>> waiting = new HashMap<>();

    private final WaitQueue waitQueue =
        new WaitQueue(() -> 0, () -> 0L, (work, delay) -> woken.add(work));

    void perform(Step step) {
      switch (step.event()) {
        case ARRIVES -> arrives(Pod.of(pods.size(), step.choice()));
        case FREES -> frees(NODES.asList().get(step.choice() % NODES.size()));
        case IS_EVALUATED -> evaluateOne(step.choice());
      }
    }

    void arrives(Pod pod) {
      pods.put(pod.waiter().work(), pod);
      woken.add(pod.waiter().work());
    }

    void frees(String node) {
      free.merge(node, 1, Integer::sum);
      waitQueue.freed(node, 1);
    }

    private void evaluateOne(int choice) {
      if (!woken.isEmpty()) {
        Pod pod = requireNonNull(pods.get(woken.remove(choice % woken.size())));
        if (!served.contains(pod)) {
          evaluate(pod);
        }
      }
    }

    /** In the order in which they were woken. */
    void settle() {
      while (!woken.isEmpty()) {
        evaluateOne(0);
      }
    }

    private void evaluate(Pod pod) {
      if (pod.hasContext()) {
        onSelected(pod, waitQueue.enter(pod.waiter()));
      } else {
        anywhere(pod, waitQueue.enter(pod.waiter(), "a device"));
      }
    }

    private void anywhere(Pod pod, Turn turn) {
      Optional<String> node =
          Sets.intersection(nodes(turn.where()), fitting()).stream().findFirst();
      node.ifPresentOrElse(
          found -> takes(pod, found),
          () -> {
            turn.refusedAnywhere(/* alike= */ true);
            waiting.put(pod, NODES);
          });
    }

    private static ImmutableSet<String> nodes(NodeChoice where) {
      return where instanceof AnyOf some
          ? some.nodes()
          : Sets.difference(NODES, ((AnyNode) where).but().get()).immutableCopy();
    }

    private void onSelected(Pod pod, Turn turn) {
      ImmutableSet<String> fitting = fitting();
      Sets.SetView<String> refusing = Sets.difference(NODES, fitting);
      if (fitting.isEmpty() || !turn.publishHistory(fitting).mayPublishSuitable()) {
        refused(pod, turn, refusing);
        return;
      }
      String selected = fitting.asList().get(0);
      turn.leaving(selected)
          .ifPresentOrElse(
              leaving -> refused(pod, leaving, Sets.union(refusing, ImmutableSet.of(selected))),
              () -> takes(pod, selected));
    }

    private void refused(Pod pod, Turn turn, Sets.SetView<String> nodes) {
      turn.refused(nodes.immutableCopy());
      waiting.put(pod, nodes.immutableCopy());
    }

    private ImmutableSet<String> fitting() {
      return NODES.stream().filter(this::hasFree).collect(ImmutableSet.toImmutableSet());
    }

    private boolean hasFree(String node) {
      return free.getOrDefault(node, 0) > 0;
    }

    private void takes(Pod pod, String node) {
      assertThat(waiting)
          .as("%s takes %s", pod, node)
          .noneSatisfy(
              (other, nodes) -> {
                assertThat(other.priority()).isGreaterThan(pod.priority());
                assertThat(nodes).contains(node);
              });
      waiting.remove(pod);
      served.add(pod);
      free.merge(node, -1, Integer::sum);
      waitQueue.remove(pod.waiter().work(), ImmutableMultiset.of(node));
    }
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            Arbitraries.of(Event.values()), Arbitraries.integers().between(0, 1_000))
        .as(Step::new)
        .list()
        .ofMaxSize(60);
  }

  @Property(tries = 2_000)
  void noDeviceGoesToALowerPriorityWhileAHigherOneWaitsForTheNode(
      @ForAll("steps") List<Step> steps) {
    Cluster cluster = new Cluster();
    steps.forEach(cluster::perform);
    cluster.settle();

    assertThat(cluster.waiting.keySet()).noneMatch(cluster.served::contains);
  }

  @Property(tries = 500)
  void noDeviceStaysFreeWhileAPodWaitsForTheNode(@ForAll("steps") List<Step> steps) {
    Cluster cluster = new Cluster();
    steps.forEach(cluster::perform);
    cluster.settle();

    assertThat(cluster.waiting.values())
        .allSatisfy(nodes -> assertThat(nodes).noneMatch(cluster::hasFree));
    assertThat(cluster.waitQueue.offers()).isZero();
  }

  @Provide
  Arbitrary<List<Integer>> priorities() {
    return Arbitraries.integers().between(-2, 2).list().ofMinSize(1).ofMaxSize(12);
  }

  /** Younger ones keep coming, each after a device was given. */
  @Property(tries = 500)
  void eachIsServedByPriorityThenByAgeThoughOthersKeepComing(
      @ForAll("priorities") List<Integer> first, @ForAll("priorities") List<Integer> later) {
    Cluster cluster = new Cluster();
    List<Pod> expected = new ArrayList<>();
    List<Pod> open = new ArrayList<>();
    first.forEach(priority -> open.add(arrives(cluster, priority)));
    later.forEach(
        priority -> {
          expected.add(next(cluster, open));
          open.add(arrives(cluster, priority));
        });
    while (!open.isEmpty()) {
      expected.add(next(cluster, open));
    }

    assertThat(cluster.served).isEqualTo(expected);
  }

  private static Pod arrives(Cluster cluster, int priority) {
    int number = cluster.pods.size();
    Pod pod = new Pod(number, priority, number % 2 == 0);
    cluster.arrives(pod);
    cluster.settle();
    return pod;
  }

  /** Who must get the next device. */
  private static Pod next(Cluster cluster, List<Pod> open) {
    ToIntFunction<Pod> priority = Pod::priority;
    Pod next =
        Collections.min(
            open, Comparator.comparingInt(priority).reversed().thenComparingInt(Pod::number));
    open.remove(next);
    cluster.frees("a");
    cluster.settle();
    return next;
  }
}
