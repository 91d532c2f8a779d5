package io.gpudra.scenarios.run;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is to be seen on the nodes and not in the API server. */
public interface NodeView {

  /** The environment of a running container. */
  Optional<Map<String, String>> environment(String namespace, String pod, String container)
      throws IOException, InterruptedException;

  /** Names of the CDI files on all nodes. */
  List<String> cdiFiles() throws IOException, InterruptedException;
}
