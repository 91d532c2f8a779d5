package io.gpudra.scenarios.run;

/** Told what is being done, while it is being done. */
@FunctionalInterface
public interface Progress {

  /** From now on this is being done. */
  void doing(String what);
}
