package io.gpudra.scenarios.run;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import java.time.Duration;
import java.util.Locale;

/**
 * How a scenario ended.
 *
 * @param seen what each container or waiting pod showed last, by its name
 * @param differences what was not as expected; none when it passed
 */
public record Result(
    String name,
    ImmutableSortedMap<String, String> seen,
    ImmutableList<String> differences,
    Duration took) {

  /** Whether everything was as expected. */
  public boolean passed() {
    return differences.isEmpty();
  }

  /** One line for people and logs. */
  public String line() {
    String containers =
        String.join(
            ", ", seen.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList());
    String line =
        String.format(
            Locale.ROOT,
            "%s  %-26s %4.1f s  saw: %s",
            passed() ? "PASS" : "FAIL",
            name,
            took.toMillis() / 1000.0,
            containers.isEmpty() ? "nothing" : containers);
    return passed() ? line : line + "; but " + String.join("; ", differences);
  }
}
