package io.gpudra.controller.cli;

import static io.gpudra.controller.cli.ColumnTable.column;
import static io.gpudra.controller.cli.ColumnTable.wide;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColumnTableTest {
  private static final ColumnTable<String> TABLE =
      new ColumnTable<>(
          ImmutableList.of(
              column("NAME", row -> row),
              wide("LENGTH", row -> String.valueOf(row.length())),
              column("LAST", row -> row.substring(row.length() - 1))));

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    assertThat(TABLE.text(List.of("worker-10", "a"), false))
        .isEqualTo("NAME        LAST\nworker-10   0\na           a\n");
  }

  @Test
  void someAreShownWhenAskedFor() {
    assertThat(TABLE.text(List.of("ab"), true))
        .isEqualTo("NAME   LENGTH   LAST\nab     2        b\n");
  }

  @Test
  void whatSteersTerminalsOrTurnsTextAroundIsTakenOut() {
    assertThat(TABLE.text(List.of("a\u001b[31m\u202eb\nc"), false)).contains("a [31m b c");
  }
}
