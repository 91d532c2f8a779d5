package io.gpudra.controller.lint.yaml;

/** The number of further values that texts may have, each and all together. */
public final class ValueBudget {

  /** The limit exceeds an ordinary text of 3 MiB. */
  static final int OF_TEXT = 250_000;

  /** The limit takes some 200 MB of memory. */
  static final int TOGETHER = 1_000_000;

  private int ofText;
  private int together = TOGETHER;

  void nextText() {
    ofText = OF_TEXT;
  }

  /**
   * Whether the budget allows further values. What exceeds the budget of one text does not reduce
   * that of the others.
   */
  boolean spend(int values) {
    if (values > ofText) {
      ofText = 0;
      return false;
    }
    ofText -= values;
    together -= Math.min(values, together + 1);
    return together >= 0;
  }

  /** The reason why no more can be spent. */
  String excess() {
    return together < 0
        ? "more than %d values in all texts, counting those that aliases repeat".formatted(TOGETHER)
        : "more than %d values, counting those that aliases repeat".formatted(OF_TEXT);
  }
}
