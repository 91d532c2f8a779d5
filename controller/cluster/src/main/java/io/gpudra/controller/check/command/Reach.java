package io.gpudra.controller.check.command;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.HttpClients;
import java.io.IOException;

/** How a command reaches its cluster, as the options of its parent say. */
public interface Reach {

  /** The driver that is asked about. */
  String driverName();

  /** Everything that is wrong with the options, as sentences; empty when nothing is. */
  ImmutableList<String> problems();

  /**
   * To the cluster.
   *
   * @throws IOException when nothing tells how to reach it
   */
  HttpClients connect() throws IOException;
}
