package io.gpudra.scenarios.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.scenarios.script.Counterproof;
import io.gpudra.scenarios.script.Expectation;
import io.gpudra.scenarios.script.Observed;
import io.gpudra.scenarios.script.Scenario;
import io.gpudra.scenarios.script.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Runs scenarios and says what was seen. */
public final class ScenarioRunner {
  private final ClusterClient cluster;
  private final Observer observer;
  private final Wait wait;
  private final Progress progress;
  private final Kubernetes kubernetes;

  /**
   * Runs against one cluster.
   *
   * @param wait for each step; reaching its limit is a failure of the scenario
   */
  public ScenarioRunner(
      ClusterClient cluster, NodeView nodes, Progress progress, Wait wait, Kubernetes kubernetes) {
    this.cluster = cluster;
    this.kubernetes = kubernetes;
    this.observer = new Observer(cluster, nodes);
    this.progress = progress;
    this.wait = wait;
  }

  /**
   * Does the steps until one fails, then undoes everything and sees whether nothing of it is left,
   * and nothing at all if it is alone. Never throws for what the cluster does or does not do: that
   * is the result.
   */
  public Result run(Scenario scenario, boolean alone) throws InterruptedException {
    long start = System.nanoTime();
    Performance performance = new Performance(scenario);
    performance.play();
    performance.clearUp();
    if (alone) {
      performance.attempt(
          "wait for every GPU to be free",
          () -> performance.differences.addAll(wait.until(observer::leftOnNodes)));
    }
    return new Result(
        scenario.name(),
        ImmutableSortedMap.copyOf(performance.seen),
        ImmutableList.copyOf(performance.differences),
        Duration.ofNanos(System.nanoTime() - start));
  }

  /** Whether the cluster has what the scenario needs. */
  public boolean canRun(Scenario scenario) {
    return kubernetes == Kubernetes.WHOLE || scenario.kind().needs().isEmpty();
  }

  /** What is still in use when no scenario runs, one sentence each. */
  public ImmutableList<String> inUse() throws IOException, InterruptedException {
    return wait.until(observer::leftOnNodes);
  }

  /** One run of one scenario. */
  private final class Performance implements Step.Stage {
    private final Scenario scenario;
    private final Changes changes;
    private final Map<String, String> seen = new TreeMap<>();
    private final Set<String> differences = new LinkedHashSet<>();

    private Performance(Scenario scenario) {
      this.scenario = scenario;
      this.changes = new Changes(cluster, kubernetes, scenario.namespace());
    }

    private void play() throws InterruptedException {
      for (Step step : scenario.steps()) {
        if (differences.isEmpty()) {
          attempt(step.title(), () -> step.doneBy(this));
        }
      }
    }

    private void clearUp() throws InterruptedException {
      attempt(
          "see whether every prepare succeeded",
          () -> differences.addAll(observer.failedPrepares(scenario.namespace())));
      attempt("undo everything", () -> awaitGone(changes.undoAll()));
      attempt(
          "wait for its GPUs to be free",
          () -> differences.addAll(wait.until(() -> observer.leftIn(scenario.namespace()))));
    }

    private void attempt(String what, Attempt attempt) throws InterruptedException {
      progress.doing(scenario.name() + ": " + what);
      try {
        attempt.make();
      } catch (IOException e) {
        differences.add(wait.health().fault().orElse(what + ": " + e));
      }
    }

    @Override
    public void apply(String file) throws IOException, InterruptedException {
      for (ObjectNode object : read(file)) {
        String path = changes.place(object);
        differences.addAll(wait.until(() -> ending(path)));
        changes.apply(object);
      }
    }

    @Override
    public void delete(String file) throws IOException, InterruptedException {
      awaitGone(changes.undo(read(file)));
    }

    @Override
    public int minorVersion() throws IOException, InterruptedException {
      return cluster.minorVersion();
    }

    @Override
    public void expect(Expectation expectation) throws IOException, InterruptedException {
      differences.addAll(
          wait.until(
              () -> {
                Observed now = observer.observe(scenario.namespace());
                seen.putAll(expectation.shown(now));
                ImmutableList<String> wrong = expectation.differences(now);
                return wrong.isEmpty() ? new Counterproof(expectation, now).failures() : wrong;
              }));
    }

    private ImmutableList<ObjectNode> read(String file) throws IOException {
      return Manifests.read(scenario.directory().resolve(Path.of(file)));
    }

    private void awaitGone(List<String> paths) throws IOException, InterruptedException {
      differences.addAll(wait.until(() -> present(paths)));
    }

    /** The namespace of an earlier run may still be there. */
    private ImmutableList<String> ending(String path) throws IOException, InterruptedException {
      return cluster.find(path).filter(Observer::isEndingNamespace).isPresent()
          ? ImmutableList.of("still going away: " + path)
          : ImmutableList.of();
    }

    private ImmutableList<String> present(List<String> paths)
        throws IOException, InterruptedException {
      ImmutableList.Builder<String> present = ImmutableList.builder();
      for (String path : paths) {
        if (cluster.find(path).filter(object -> !Observer.isEndingNamespace(object)).isPresent()) {
          present.add("deleted, but still there: " + path);
        }
      }
      return present.build();
    }
  }

  /** Something that asks the cluster. */
  private interface Attempt {
    void make() throws IOException, InterruptedException;
  }
}
