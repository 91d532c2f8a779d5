package io.gpudra.simulator.http;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Kubeconfig for kubectl and other clients. */
public final class Kubeconfig {
  private Kubeconfig() {}

  /** Writes it; an existing file is replaced. */
  public static void write(Path file, URI server) throws IOException {
    Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        current-context: simulator
        clusters:
        - name: simulator
          cluster:
            server: %s
        contexts:
        - name: simulator
          context:
            cluster: simulator
            user: user
        users:
        - name: user
          user: {}
        """
            .formatted(server));
  }
}
