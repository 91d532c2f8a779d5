package io.gpudra.scenarios.run;

import java.util.Optional;

/** Whether the cluster can still do what is waited for. */
@FunctionalInterface
public interface Health {

  /** Why waiting is in vain, such as a process that died. */
  Optional<String> fault();
}
