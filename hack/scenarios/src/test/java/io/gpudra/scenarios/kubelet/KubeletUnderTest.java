package io.gpudra.scenarios.kubelet;

import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.simulator.actor.Timings.Spread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The kubelet that the suite judges: with the system property {@code conformance.kubelet=real} the
 * one of a node of {@code hack/cluster/up}, otherwise the double.
 */
interface KubeletUnderTest {
  KubeletUnderTest INSTANCE = start(System.getProperty("conformance.kubelet", "double"));

  private static KubeletUnderTest start(String which) {
    try {
      return which.equals("real") ? RealKubelet.connect() : DoubleKubelet.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  ClusterClient client();

  /** The name of its node. */
  String node();

  /** From a failed prepare to the next. */
  Spread prepareRetry();

  /** From another failure of a pod to the next attempt. */
  Spread podRetry();

  /** Where it meets plugins, as it calls the place itself. */
  Path directory();

  /** Where its runtime finds CDI files, as it calls the place itself. */
  Path cdi();

  /** The same file as a plugin of the test finds it. */
  Path outside(Path path);

  /** The environment of a container's process, if there is one. */
  Optional<Map<String, String>> environment(String namespace, String pod, String container)
      throws IOException;

  /** Kills it, starts it again and waits until it serves. */
  void restart() throws IOException, InterruptedException;
}
