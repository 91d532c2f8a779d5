package io.gpudra.simulator.kubelet;

import java.util.Optional;

/** The plugins registered on a node. */
public interface Plugins {

  /** The plugin of a driver, by its exact name; empty as long as none is registered. */
  Optional<DraPlugin> find(String driver);
}
