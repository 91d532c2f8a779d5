package io.gpudra.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlternationTest {
  /** Appends its name and its arguments, and reports figures, the first of which becomes larger. */
  private static final String SCRIPT =
      """
      #!/bin/sh
      echo %1$s "$3" "$4" "$5" "$6" >> %2$s
      round=$(grep -c ^%1$s %2$s)
      echo '{"figures": [
        {"benchmark": "some", "figure": "time", "measured": '${round}%3$s', "unit": "ms", "budget": 9},
        {"benchmark": "some", "figure": "work", "measured": 1, "unit": "s"},
        {"benchmark": "some", "figure": "work", "measured": 2, "unit": "s"}
        %4$s]}' > "$2"
      exit %5$d
      """;

  @TempDir private Path directory = Path.of("");

  @Test
  void bothCheckoutsTakeTurnsForFiveRounds() throws Exception {
    Path before = checkout("before", "", "", 0);
    Path after =
        checkout("after", "0", ",{\"benchmark\":\"some\",\"figure\":\"new\",\"measured\":1}", 1);

    ImmutableList<Change> changes =
        new Alternation(ImmutableList.of("some", "other"), directory).measure(before, after);

    assertThat(Files.readAllLines(directory.resolve("calls")))
        .hasSize(10)
        .startsWith(
            "before --only some --only other",
            "after --only some --only other",
            "before --only some --only other");
    assertThat(changes)
        .extracting(Change::what)
        .containsExactly("some: time", "some: work", "some: work (2)");
    assertThat(changes)
        .extracting(change -> change.before().median())
        .containsExactly(3.0, 1.0, 2.0);
    assertThat(changes)
        .extracting(change -> change.after().median())
        .containsExactly(30.0, 1.0, 2.0);
  }

  @Test
  void onlyAFigureWithABudgetIsJudged() throws Exception {
    ImmutableList<Change> changes =
        new Alternation(ImmutableList.of("some"), directory)
            .measure(checkout("before", "", "", 0), checkout("after", "0", "", 0));

    assertThat(changes).extracting(Change::aim).startsWith(Change.Aim.LESS, Change.Aim.NONE);
  }

  @Test
  void aCheckoutThatCannotMeasureIsNamed() throws Exception {
    Path broken = checkout("broken", "", "", 2);

    assertThatThrownBy(
            () -> new Alternation(ImmutableList.of("some"), directory).measure(broken, broken))
        .hasMessageContaining(broken + ": exit code 2, see " + directory.resolve("before-1.log"));
  }

  private Path checkout(String name, String digits, String more, int code) throws IOException {
    Path checkout = directory.resolve(name);
    Path script = Files.createDirectories(checkout.resolve("hack/bench")).resolve("run");
    Files.writeString(
        script, SCRIPT.formatted(name, directory.resolve("calls"), digits, more, code));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return checkout;
  }
}
