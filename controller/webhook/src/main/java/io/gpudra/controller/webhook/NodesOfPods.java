package io.gpudra.controller.webhook;

import java.io.IOException;
import java.util.Optional;

/** Port to the pods of node plugins. */
public interface NodesOfPods {

  /**
   * Where this very pod runs; empty when there is none of this name and UID, or when it has no node
   * yet. May ask the API server.
   *
   * @throws IOException when it cannot be told
   */
  Optional<String> nodeOf(String namespace, String pod, String uid) throws IOException;
}
