package io.gpudra.controller.allocation.cutting;

/** What may be spent on looking for a way, by all who look for one at a time. */
public interface Effort {

  /** Whether there was so much left; what is found out for the first time costs more. */
  boolean spend(int layouts);
}
