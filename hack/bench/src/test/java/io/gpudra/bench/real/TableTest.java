package io.gpudra.bench.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TableTest {
  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void driversStandSideBySideWithTheMediansOfTheirRounds() {
    assertThat(
            Table.of(
                List.of(
                    result(
                        Contender.HELPER,
                        50,
                        Map.of("driver get pods", 1.0, "driver patch pods", 2.0)),
                    result(
                        Contender.GPUDRA,
                        80,
                        Map.of("driver get pods", 1.0, "scheduler patch pods", 1.0)),
                    result(
                        Contender.GPUDRA,
                        60,
                        Map.of("driver get pods", 1.0, "scheduler patch pods", 1.0)),
                    result(
                        Contender.GPUDRA,
                        70,
                        Map.of("driver get pods", 1.5, "scheduler patch pods", 1.0)))))
        .isEqualTo(
            """
            | some | gpudra | helper |
            |---|---:|---:|
            | pods per second | 70.0 (80.0, 60.0, 70.0) | 50.0 (50.0) |
            | create to bound, p50, s | 1.00 | 1.00 |
            | create to bound, p99, s | 2.00 | 2.00 |
            | API calls of the driver per pod | 1.00 | 3.00 |
            | API calls of all per pod | 2.00 | 3.00 |
            | pods with a scheduling context, % | 25.0 | 25.0 |
            | · driver get pods | 1.00 | 1.00 |
            | · driver patch pods | 0.00 | 2.00 |
            | · scheduler patch pods | 1.00 | 0.00 |
            | CPU of everything, s | 5.00 | 5.00 |
            | · driver | 3.00 | 3.00 |
            | · etcd | 2.00 | 2.00 |
            | peak memory of driver, MiB | 100.0 | 100.0 |
            """);
  }

  @Test
  void saysHowManyPodsWereNeverBoundIfAny() {
    assertThat(
            Table.of(
                List.of(
                    result(Contender.GPUDRA, 0, 80, Map.of()),
                    result(Contender.HELPER, 0, 50, Map.of()),
                    result(Contender.HELPER, 3, 50, Map.of()))))
        .contains("| pods never bound | 0 | 0, 3 |");
  }

  @Test
  void theNewVersionIsComparedWithTheOneBefore(@TempDir Path directory) throws IOException {
    String same = file(directory, "same", result(Contender.GPUDRA, 80, Map.of()));
    String slower = file(directory, "slower", result(Contender.GPUDRA, 60, Map.of()));
    String before = file(directory, "before", result(Contender.BEFORE, 80, Map.of()));
    CommandLine table = new CommandLine(new Table());

    assertThat(table.execute(before, same)).isZero();
    assertThat(table.execute(before, slower)).isEqualTo(1);
    assertThat(table.execute(slower)).isZero();
  }

  @Test
  void aResultOfAnEarlierVersionIsRead(@TempDir Path directory) throws IOException {
    ObjectNode old = JSON.valueToTree(result(Contender.GPUDRA, 80, Map.of()));
    old.remove("groupSeconds");
    old.remove("percentWithContext");

    assertThat(new CommandLine(new Table()).execute(file(directory, "old", old))).isZero();
  }

  private static String file(Path directory, String name, Object result) throws IOException {
    return Files.writeString(directory.resolve(name), JSON.writeValueAsString(result)).toString();
  }

  private static Result result(Contender driver, double speed, Map<String, Double> calls) {
    return result(driver, 0, speed, calls);
  }

  private static Result result(
      Contender driver, int neverBound, double speed, Map<String, Double> calls) {
    return new Result(
        "some",
        driver,
        1,
        neverBound,
        speed,
        1,
        2,
        calls,
        25,
        Map.of(),
        Map.of(Result.DRIVER, 3.0, "etcd", 2.0),
        Map.of(Result.DRIVER, 100.0));
  }
}
