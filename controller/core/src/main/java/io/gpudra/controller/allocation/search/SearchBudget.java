package io.gpudra.controller.allocation.search;

import io.gpudra.controller.allocation.cutting.LayoutBudget;

/**
 * Limits the search in one pass over nodes: without a limit, a request for many kinds of devices
 * would occupy a worker forever. Confined to one thread.
 */
public final class SearchBudget implements LayoutBudget {
  private static final int MAX_OF_A_NODE = 2_000;
  private static final int MAX_OF_A_PASS = 20_000;

  /** For each state in the budget, layouts of the node's GPUs. */
  private static final int LAYOUTS = 100;

  /** States and devices that each node may cost, regardless of the others. */
  private static final int OF_EACH_NODE = 32;

  private final int whole;
  private int left;
  private int leftOfNode;
  private int layoutsLeft;
  private int layoutsLeftOfNode;

  /** The budget of a pass in which most nodes answer from memory. */
  public SearchBudget() {
    this(0);
  }

  /** The budget of an evaluation of so many nodes. */
  public SearchBudget(int nodes) {
    whole = MAX_OF_A_PASS + OF_EACH_NODE * nodes;
    left = whole;
    layoutsLeft = LAYOUTS * whole;
  }

  /** A condition is evaluated on so many devices, each of which costs as much as a state. */
  public void asks(int devices) {
    left -= devices;
  }

  /** Starts the next node, or another question about one. */
  public void nextNode() {
    leftOfNode = Math.min(left, MAX_OF_A_NODE);
    layoutsLeftOfNode = Math.min(layoutsLeft, LAYOUTS * MAX_OF_A_NODE);
  }

  /** Whether the budget allows one more state. */
  public boolean spend() {
    left--;
    leftOfNode--;
    return leftOfNode >= 0;
  }

  @Override
  public boolean spend(int layouts) {
    layoutsLeft -= layouts;
    layoutsLeftOfNode -= layouts;
    return layoutsLeftOfNode >= 0;
  }

  /** States and ways to cut GPUs that were looked at so far. */
  public long used() {
    return (long) whole - left + (long) LAYOUTS * whole - layoutsLeft;
  }

  /**
   * Whether an answer may be wrong that would be right in a pass of its own: it needed what others
   * had used up.
   *
   * @param before what was {@link #used} when it began
   */
  public boolean isShortBecauseOfOthers(long before) {
    return before > 0 && isOver() && used() > before;
  }

  /** Whether answers may be wrong that a separate pass would give right. */
  public boolean isOver() {
    return left <= 0 || layoutsLeft <= 0;
  }

  /** Whether the answer for the node may be wrong. */
  public boolean spent() {
    return leftOfNode < 0 || layoutsLeftOfNode < 0;
  }
}
