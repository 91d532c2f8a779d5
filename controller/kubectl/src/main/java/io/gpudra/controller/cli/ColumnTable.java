package io.gpudra.controller.cli;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.check.command.TerminalText;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rows under headers, as kubectl prints them.
 *
 * @param <T> what a row is about
 */
record ColumnTable<T>(ImmutableList<Column<T>> columns) {
  private static final String BETWEEN = "   ";

  /**
   * One column.
   *
   * @param wide shown with {@code -o wide} only
   */
  record Column<T>(String header, boolean wide, Function<T, String> value) {}

  static <T> Column<T> column(String header, Function<T, String> value) {
    return new Column<>(header, false, value);
  }

  static <T> Column<T> wide(String header, Function<T, String> value) {
    return new Column<>(header, true, value);
  }

  /** The headers and all rows, one a line. */
  String text(List<T> rows, boolean wide) {
    List<Column<T>> shown = columns.stream().filter(one -> wide || !one.wide()).toList();
    List<List<String>> cells =
        Stream.concat(
                Stream.of(shown.stream().map(Column::header).toList()),
                rows.stream().map(row -> cells(shown, row)))
            .toList();
    int[] widths =
        IntStream.range(0, shown.size())
            .map(i -> cells.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .toArray();
    return cells.stream().map(row -> line(row, widths)).collect(Collectors.joining());
  }

  private static <T> List<String> cells(List<Column<T>> shown, T row) {
    return shown.stream().map(column -> TerminalText.line(column.value().apply(row))).toList();
  }

  private static String line(List<String> cells, int[] widths) {
    return IntStream.range(0, cells.size())
            .mapToObj(i -> Strings.padEnd(cells.get(i), widths[i], ' '))
            .collect(Collectors.joining(BETWEEN))
            .stripTrailing()
        + "\n";
  }
}
