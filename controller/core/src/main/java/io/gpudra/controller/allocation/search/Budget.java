package io.gpudra.controller.allocation.search;

import io.gpudra.controller.allocation.cutting.Effort;

/**
 * How long may be searched in one pass over nodes: without a bound, a request of many kinds of
 * device would hold a worker for good. Confined to one thread.
 */
public final class Budget implements Effort {
  private static final int MOST_OF_A_NODE = 2_000;
  private static final int MOST_OF_A_PASS = 20_000;

  /** For each state that may be looked at, ways to cut the GPUs of the node. */
  private static final int LAYOUTS = 100;

  /** States and devices that each node may cost whatever the others do. */
  private static final int OF_EACH_NODE = 32;

  private final int whole;
  private int left;
  private int leftOfNode;
  private int layoutsLeft;
  private int layoutsLeftOfNode;

  /** Of a pass in which most nodes answer from memory. */
  public Budget() {
    this(0);
  }

  /** Of a judgement that asks each of so many nodes. */
  public Budget(int nodes) {
    whole = MOST_OF_A_PASS + OF_EACH_NODE * nodes;
    left = whole;
    layoutsLeft = LAYOUTS * whole;
  }

  /** A condition is asked about so many devices: each costs as much as a state. */
  public void asks(int devices) {
    left -= devices;
  }

  /** The next node is looked at. */
  void nextNode() {
    leftOfNode = Math.min(left, MOST_OF_A_NODE);
    layoutsLeftOfNode = Math.min(layoutsLeft, LAYOUTS * MOST_OF_A_NODE);
  }

  /** Whether one more state may be looked at. */
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

  /** Whether answers may be wrong that would be right in a pass of their own. */
  public boolean isOver() {
    return left <= 0 || layoutsLeft <= 0;
  }

  /** Whether the answer for the node may be wrong. */
  boolean spent() {
    return leftOfNode < 0 || layoutsLeftOfNode < 0;
  }
}
