package io.gpudra.controller.allocation.search;

import io.gpudra.controller.allocation.mig.LayoutBudget;
import java.util.function.BooleanSupplier;

/**
 * Limits the search in one pass over nodes: without a limit, a request for many kinds of devices
 * would occupy a worker forever. Confined to one thread.
 */
public final class SearchBudget implements LayoutBudget {
  private static final int MAX_OF_A_NODE = 2_000;
  private static final int MAX_OF_A_PASS = 20_000;
  private static final int MAX_OF_A_QUESTION = 200;

  /** The layouts of the node's GPUs for each state in the budget. */
  private static final int LAYOUTS = 100;

  /** The steps of a condition that cost as much as a layout. */
  private static final int STEPS = 20;

  /** The states and devices that each node may cost, regardless of the other nodes. */
  private static final int OF_EACH_NODE = 32;

  private final BooleanSupplier late;
  private final int whole;
  private int left;
  private int leftOfNode;
  private long layoutsLeft;
  private long layoutsLeftOfNode;

  /** The budget of a pass in which most nodes answer from the cache. */
  public SearchBudget() {
    this(0);
  }

  /** The budget of an evaluation of this number of nodes. */
  public SearchBudget(int nodes) {
    this(nodes, () -> false);
  }

  /**
   * The same within a time.
   *
   * @param late whether the time is over
   */
  public SearchBudget(int nodes, BooleanSupplier late) {
    this(nodes, MAX_OF_A_PASS, late);
  }

  private SearchBudget(int nodes, int most, BooleanSupplier late) {
    this.late = late;
    whole = most + OF_EACH_NODE * nodes;
    left = whole;
    layoutsLeft = (long) LAYOUTS * whole;
  }

  /** The budget of a question about one node that each commit may ask of many nodes. */
  public static SearchBudget ofQuestion() {
    return new SearchBudget(/* nodes= */ 1, MAX_OF_A_QUESTION, () -> false);
  }

  /**
   * Records the evaluation of a condition on this number of devices, each at the cost of a state.
   */
  public void asks(int devices) {
    left -= devices;
  }

  /** Starts the next node, or another search on one. */
  public void nextNode() {
    leftOfNode = Math.min(left, MAX_OF_A_NODE);
    layoutsLeftOfNode = Math.min(layoutsLeft, (long) LAYOUTS * MAX_OF_A_NODE);
  }

  /** Whether the budget allows one more state. */
  public boolean spend() {
    left--;
    leftOfNode--;
    return leftOfNode >= 0;
  }

  /** Whether the budget allows the evaluation of conditions in this number of steps. */
  public boolean mayAsk(long steps) {
    return spendLayouts(steps / STEPS);
  }

  @Override
  public boolean spend(int layouts) {
    return spendLayouts(layouts);
  }

  private boolean spendLayouts(long layouts) {
    layoutsLeft -= layouts;
    layoutsLeftOfNode -= layouts;
    return layoutsLeftOfNode >= 0;
  }

  /** The states and ways to divide GPUs that were tried so far. */
  public long used() {
    return (long) whole - left + (long) LAYOUTS * whole - layoutsLeft;
  }

  /**
   * Whether the answer may be wrong only because others had used up the budget: it would be right
   * in a pass of its own.
   *
   * @param before the value of {@link #used} at its beginning
   */
  public boolean isShortBecauseOfOthers(long before) {
    return before > 0 && isOver() && used() > before;
  }

  /** Whether the time is over: the states that are left are of no use. */
  public boolean isLate() {
    return late.getAsBoolean();
  }

  /** Whether answers may be wrong that would be right in a separate pass. */
  public boolean isOver() {
    return left <= 0 || layoutsLeft <= 0;
  }

  /** Whether the answer for the node may be wrong. */
  public boolean spent() {
    return leftOfNode < 0 || layoutsLeftOfNode < 0;
  }
}
