package io.gpudra.simulator.conformance;

import io.gpudra.simulator.EmbeddedApiServer;
import io.gpudra.simulator.cluster.Actors;
import io.gpudra.simulator.cluster.ActorsConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The server that the suite judges: the one of the kubeconfig that the system property {@code
 * conformance.kubeconfig} names, otherwise the double. Either has a scheduler, the controllers, and
 * no nodes.
 */
record ServerUnderTest(Client client, Path kubeconfig, boolean isDouble) {
  static final ServerUnderTest INSTANCE = start(System.getProperty("conformance.kubeconfig", ""));

  private static ServerUnderTest start(String given) {
    try {
      Path kubeconfig = given.isEmpty() ? startDouble() : Path.of(given);
      Client client = Client.of(ServerAccess.of(kubeconfig));
      return new ServerUnderTest(client, kubeconfig, given.isEmpty());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** It ends with the process, as all its threads are daemons. */
  private static Path startDouble() throws IOException {
    EmbeddedApiServer server = EmbeddedApiServer.start(0);
    Actors.start(server.api(), ActorsConfig.quick(List.of()));
    Path kubeconfig = Files.createTempFile("kubeconfig", "");
    kubeconfig.toFile().deleteOnExit();
    server.writeKubeconfig(kubeconfig);
    return kubeconfig;
  }
}
