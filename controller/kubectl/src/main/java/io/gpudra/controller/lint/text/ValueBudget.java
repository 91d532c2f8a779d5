package io.gpudra.controller.lint.text;

/** How many more values texts may have, each and all together. */
public final class ValueBudget {

  /** More than an ordinary text of 3 MiB has. */
  static final int OF_TEXT = 250_000;

  /** Some 200 MB of memory. */
  static final int TOGETHER = 1_000_000;

  private int ofText;
  private int together = TOGETHER;

  void nextText() {
    ofText = OF_TEXT;
  }

  /** What exceeds the budget of its text takes nothing from the others. */
  boolean spend(int values) {
    if (values > ofText) {
      ofText = 0;
      return false;
    }
    ofText -= values;
    together -= Math.min(values, together + 1);
    return together >= 0;
  }

  /** Why nothing more can be spent. */
  String excess() {
    return together < 0
        ? "more than %d values in all texts, counting those that aliases repeat".formatted(TOGETHER)
        : "more than %d values, counting those that aliases repeat".formatted(OF_TEXT);
  }
}
