package io.gpudra.scenarios;

import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.run.Health;
import io.gpudra.scenarios.run.Result;
import io.gpudra.scenarios.run.ScenarioRunner;
import io.gpudra.scenarios.script.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;

/**
 * The selected examples.
 *
 * @param lanes how many run at a time; those that count on every GPU run alone
 */
record Examples(ImmutableList<Scenario> chosen, int lanes) {

  /** Which ones are wanted, without any name: the tour or all. */
  record Wish(List<String> names, boolean all) {
    private boolean wants(Scenario scenario) {
      return names.isEmpty()
          ? all || scenario.kind().tour()
          : names.stream().anyMatch(scenario::isNamed);
    }
  }

  /**
   * Those that are wanted.
   *
   * @param lanes how many of all run at a time
   * @throws UnknownName when a name is no example's
   * @throws IOException when they cannot be read
   */
  static Examples of(List<Path> directories, Wish wish, int lanes) throws IOException {
    ImmutableList.Builder<Scenario> read = ImmutableList.builder();
    for (Path directory : directories) {
      read.addAll(Scenario.all(directory));
    }
    ImmutableList<Scenario> all = read.build();
    for (String name : wish.names()) {
      if (all.stream().noneMatch(scenario -> scenario.isNamed(name))) {
        throw new UnknownName(
            "no scenario %s; there are: %s"
                .formatted(name, String.join(", ", all.stream().map(Scenario::name).toList())));
      }
    }
    return new Examples(
        all.stream().filter(wish::wants).collect(ImmutableList.toImmutableList()),
        wish.all() ? lanes : 1);
  }

  /** Runs them until the cluster breaks; true when all passed. */
  boolean run(ScenarioRunner runner, Health health, Console console)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Play play = new Play(runner, health, console);
    ImmutableList<Scenario> possible = matching(chosen, runner::canRun);
    chosen.stream()
        .filter(scenario -> !possible.contains(scenario))
        .forEach(scenario -> console.line(skipped(scenario)));
    int passed = play.together(matching(possible, scenario -> !isAlone(scenario)), lanes);
    passed += play.oneByOne(matching(possible, this::isAlone));
    console.line(
        String.format(
            Locale.ROOT,
            "%d of %d scenarios passed in %.1f s",
            passed,
            possible.size(),
            (System.nanoTime() - start) / 1e9));
    return passed == possible.size() && health.fault().isEmpty();
  }

  private boolean isAlone(Scenario scenario) {
    return lanes == 1 || scenario.kind().alone();
  }

  private static String skipped(Scenario scenario) {
    return String.format(
        Locale.ROOT,
        "SKIP  %-26s only on a real cluster, which has %s",
        scenario.name(),
        scenario.kind().needs().orElse(""));
  }

  private static ImmutableList<Scenario> matching(
      List<Scenario> scenarios, Predicate<Scenario> which) {
    return scenarios.stream().filter(which).collect(ImmutableList.toImmutableList());
  }

  /** One run. */
  private record Play(ScenarioRunner runner, Health health, Console console) {

    private int together(List<Scenario> scenarios, int lanes)
        throws IOException, InterruptedException {
      if (scenarios.isEmpty()) {
        return 0;
      }
      ExecutorService pool = Executors.newFixedThreadPool(lanes);
      try {
        List<Future<Integer>> results =
            scenarios.stream().map(scenario -> pool.submit(() -> one(scenario, false))).toList();
        int passed = 0;
        for (Future<Integer> result : results) {
          passed += result.get();
        }
        ImmutableList<String> left = runner.inUse();
        left.forEach(sentence -> console.line("FAIL  after them: " + sentence));
        return left.isEmpty() ? passed : 0;
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } finally {
        pool.shutdownNow();
      }
    }

    private int oneByOne(List<Scenario> scenarios) throws InterruptedException {
      int passed = 0;
      for (Scenario scenario : scenarios) {
        passed += one(scenario, true);
      }
      return passed;
    }

    /** 1 if it passed. */
    private int one(Scenario scenario, boolean alone) throws InterruptedException {
      if (health.fault().isPresent()) {
        return 0;
      }
      Result result = runner.run(scenario, alone);
      console.line(result.line());
      return result.passed() ? 1 : 0;
    }
  }

  /** There is no such example; the message says which there are. */
  static final class UnknownName extends IOException {
    private static final long serialVersionUID = 1L;

    UnknownName(String message) {
      super(message);
    }
  }
}
