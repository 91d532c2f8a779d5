package io.gpudra.controller.check.command;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.HttpClients;
import java.io.IOException;

/** Connection options of the parent command. */
public interface ClusterConnection {

  /** Name of the driver. */
  String driverName();

  /** Problems of the options, as sentences. */
  ImmutableList<String> problems();

  /**
   * Connects to the cluster.
   *
   * @throws IOException if there is no usable configuration
   */
  HttpClients connect() throws IOException;
}
