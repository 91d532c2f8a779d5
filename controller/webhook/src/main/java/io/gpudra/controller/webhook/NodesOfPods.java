package io.gpudra.controller.webhook;

import java.io.IOException;
import java.util.Optional;

/** Finds the nodes of plugin pods. */
public interface NodesOfPods {

  /**
   * The node of this pod; empty if there is no pod with this name and UID, or if it has no node
   * yet. May call the API server.
   *
   * @throws IOException if the pod cannot be read
   */
  Optional<String> nodeOf(String namespace, String pod, String uid) throws IOException;
}
