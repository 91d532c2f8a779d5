package io.gpudra.scenarios.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The rows of {@code docs/reference/metrics.md}: name, type, labels, who has it, what it is.
 *
 * @param rows the cells of each
 */
public record MetricsTable(List<List<String>> rows) {
  private static final String BOTH = "both";

  /** Reads a page of Markdown that has the table and no other. */
  public static MetricsTable read(Path page) throws IOException {
    return new MetricsTable(
        Files.readAllLines(page).stream()
            .filter(line -> line.startsWith("| `"))
            .map(line -> Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList())
            .toList());
  }

  /** What the page of a controller, or of a plugin, has. */
  public Map<String, Exposed> of(String who) {
    return rows.stream()
        .filter(row -> List.of(who, BOTH).contains(row.get(3)))
        .collect(
            Collectors.toMap(
                row -> plain(row.get(0)), MetricsTable::exposed, (a, b) -> a, TreeMap::new));
  }

  private static Exposed exposed(List<String> row) {
    return new Exposed(
        row.get(1),
        Arrays.stream(row.get(2).split(","))
            .map(MetricsTable::plain)
            .filter(label -> !label.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static String plain(String cell) {
    return cell.replace("`", "").strip();
  }
}
