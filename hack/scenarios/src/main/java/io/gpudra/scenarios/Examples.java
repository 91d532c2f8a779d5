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

/** The examples somebody asked for. */
record Examples(ImmutableList<Scenario> chosen) {

  /**
   * Those of the names, or all when there is no name.
   *
   * @throws UnknownName when a name is no example's
   * @throws IOException when they cannot be read
   */
  static Examples of(Path directory, List<String> names) throws IOException {
    ImmutableList<Scenario> all = Scenario.all(directory);
    for (String name : names) {
      if (all.stream().noneMatch(scenario -> scenario.isNamed(name))) {
        throw new UnknownName(
            "no scenario %s; there are: %s"
                .formatted(name, String.join(", ", all.stream().map(Scenario::name).toList())));
      }
    }
    return new Examples(
        all.stream()
            .filter(scenario -> names.isEmpty() || names.stream().anyMatch(scenario::isNamed))
            .collect(ImmutableList.toImmutableList()));
  }

  /** Runs them until the cluster breaks; true when all passed. */
  boolean run(ScenarioRunner runner, Health health, Console console) throws InterruptedException {
    long start = System.nanoTime();
    int passed = 0;
    for (Scenario scenario : chosen) {
      Result result = runner.run(scenario);
      console.line(result.line());
      passed += result.passed() ? 1 : 0;
      if (health.fault().isPresent()) {
        return false;
      }
    }
    console.line(
        String.format(
            Locale.ROOT,
            "%d of %d scenarios passed in %.1f s",
            passed,
            chosen.size(),
            (System.nanoTime() - start) / 1e9));
    return passed == chosen.size();
  }

  /** There is no such example; the message says which there are. */
  static final class UnknownName extends IOException {
    private static final long serialVersionUID = 1L;

    UnknownName(String message) {
      super(message);
    }
  }
}
