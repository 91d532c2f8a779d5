package io.gpudra.controller.allocation.mig;

/** The budget of a search for a layout, shared by concurrent searches. */
public interface LayoutBudget {

  /** Whether this much was left; a new result costs more than a known one. */
  boolean spend(int layouts);
}
