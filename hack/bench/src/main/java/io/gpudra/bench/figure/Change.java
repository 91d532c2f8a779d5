package io.gpudra.bench.figure;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One number before and after a change of the code, measured in alternation.
 *
 * @param what the name of the number
 * @param unit such as {@code ms}; empty for a ratio or a count
 */
public record Change(String what, String unit, Aim aim, Sample before, Sample after) {
  private static final double MAX_PERCENT = 10;
  private static final double PERCENT = 100;

  /** The direction that is better. */
  public enum Aim {
    LESS,
    MORE,
    /** The number is only shown. */
    NONE
  }

  /** From the median before to the median after, in percent of the first. */
  public double difference() {
    return percent(after.median() - before.median());
  }

  /** The larger range of both, in percent of the median before. */
  public double spread() {
    return percent(Math.max(before.range(), after.range()));
  }

  private double percent(double part) {
    return part == 0 ? 0 : PERCENT * part / before.median();
  }

  /** Whether it became worse by no more than its own spread, and by no more than 10 %. */
  public boolean held() {
    double worse =
        switch (aim) {
          case LESS -> difference();
          case MORE -> -difference();
          case NONE -> 0;
        };
    return worse <= Math.min(spread(), MAX_PERCENT);
  }

  /** All of them as Markdown. */
  public static String table(String title, Collection<Change> changes) {
    String head =
        "| %s | before | after | difference | spread | held |\n|---|---:|---:|---:|---:|---|\n";
    return changes.stream()
        .map(Change::row)
        .collect(Collectors.joining("", head.formatted(title), ""));
  }

  private String row() {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %+.1f %% | %.1f %% | %s |\n",
        unit.isEmpty() ? what : what + ", " + unit,
        cell(before),
        cell(after),
        difference(),
        spread(),
        aim == Aim.NONE ? "" : Report.answer(held()));
  }

  private static String cell(Sample sample) {
    return "%s (%s to %s)"
        .formatted(
            Report.number(sample.median()),
            Report.number(sample.quantile(0)),
            Report.number(sample.quantile(1)));
  }
}
