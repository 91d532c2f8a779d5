package io.gpudra.process;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts by labels, some of whose values are chosen by users. For each label, the {@value #MAX}
 * values with the highest counts keep their names. The others are counted together as {@value
 * #OTHER}, so that no cluster produces a page too large to store.
 */
public final class LabelledCounter {
  static final int MAX = 32;
  static final String OTHER = "other";

  private final ImmutableList<String> labels;
  private final Map<ImmutableList<String>, Long> counts = new HashMap<>();

  /** A counter without any count yet. */
  public LabelledCounter(String... labels) {
    this.labels = ImmutableList.copyOf(labels);
  }

  /**
   * The counts so far; shown when a gauge has this table as its value.
   *
   * @param counts by the values of the labels, in their order
   */
  public record Table(
      ImmutableList<String> labels, ImmutableMap<ImmutableList<String>, Long> counts) {}

  /**
   * Adds to a count.
   *
   * @param more may be 0: then a count that does not exist yet is shown as 0
   * @param values of all labels, in their order
   */
  public void add(long more, String... values) {
    if (values.length != labels.size()) {
      throw new IllegalArgumentException(values.length + " values for labels " + labels);
    }
    counts.merge(ImmutableList.copyOf(values), more, Long::sum);
  }

  /** The counts so far. */
  public Table table() {
    Map<ImmutableList<String>, Long> limited = counts;
    for (int label = 0; label < labels.size(); label++) {
      limited = limited(limited, label);
    }
    return new Table(labels, ImmutableMap.copyOf(limited));
  }

  private static Map<ImmutableList<String>, Long> limited(
      Map<ImmutableList<String>, Long> counts, int label) {
    Map<String, Long> byValue = new HashMap<>();
    counts.forEach((values, count) -> byValue.merge(values.get(label), count, Long::sum));
    if (byValue.size() <= MAX) {
      return counts;
    }
    ImmutableSet<String> named = greatest(byValue);
    Map<ImmutableList<String>, Long> limited = new HashMap<>();
    counts.forEach(
        (values, count) ->
            limited.merge(
                named.contains(values.get(label)) ? values : with(OTHER, values, label),
                count,
                Long::sum));
    return limited;
  }

  private static ImmutableSet<String> greatest(Map<String, Long> byValue) {
    return byValue.entrySet().stream()
        .sorted(
            comparing(Map.Entry<String, Long>::getValue, reverseOrder())
                .thenComparing(Map.Entry::getKey))
        .limit(MAX)
        .map(Map.Entry::getKey)
        .collect(toImmutableSet());
  }

  private static ImmutableList<String> with(String value, ImmutableList<String> values, int label) {
    return ImmutableList.<String>builder()
        .addAll(values.subList(0, label))
        .add(value)
        .addAll(values.subList(label + 1, values.size()))
        .build();
  }
}
