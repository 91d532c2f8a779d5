package io.gpudra.kubeletplugin.app;

import io.gpudra.kubeletplugin.kube.NodeReader;
import io.gpudra.kubeletplugin.prepare.BootRestore;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.rpc.PluginSockets;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the sockets. After a boot it first waits until the claims that the kubelet may use without
 * a call are prepared again. Reads from the API server only when the kubelet may remember such
 * claims.
 */
final class KubeletReconnect {

  private static final Logger log = LoggerFactory.getLogger(KubeletReconnect.class);

  private final ClaimPreparer preparer;
  private final NodeReader node;
  private final BootRestore bootRestore;
  private final PluginSockets sockets;

  // Guarded by this.
  private Optional<Boolean> asksAgain = Optional.empty();
  private boolean opened;
  private boolean reported;

  KubeletReconnect(
      ClaimPreparer preparer, NodeReader node, BootRestore bootRestore, PluginSockets sockets) {
    this.preparer = preparer;
    this.node = node;
    this.bootRestore = bootRestore;
    this.sockets = sockets;
  }

  /** The usual start: a failure to create a socket ends it. */
  synchronized void openIfNothingIsRemembered() throws IOException {
    if (preparer.remembered().isEmpty()) {
      open();
    }
  }

  /** Call repeatedly; does nothing once the sockets are open. */
  synchronized void openWhenDone() throws IOException {
    if (!opened) {
      Optional<String> problem = checkRemembered(bootRestore::attempt);
      if (problem.isEmpty()) {
        open();
      } else {
        report(problem.get());
      }
    }
  }

  /** Call repeatedly: an old kubelet uses a remembered claim even if it is reserved only later. */
  synchronized void again() {
    if (opened) {
      checkRemembered(bootRestore::again);
    }
  }

  private void open() throws IOException {
    sockets.open();
    opened = true;
  }

  /** The fact that is still unknown, if any. */
  private Optional<String> checkRemembered(Supplier<Optional<String>> attempt) {
    if (preparer.remembered().isEmpty()) {
      return Optional.empty();
    }
    if (asksAgain.isEmpty()) {
      asksAgain = node.kubeletAsksAgain();
      asksAgain.filter(yes -> yes).ifPresent(yes -> preparer.kubeletAsksAgain());
    }
    return asksAgain
        .map(yes -> yes ? Optional.<String>empty() : attempt.get())
        .orElse(Optional.of("the version of the kubelet is not known"));
  }

  private void report(String problem) {
    if (!reported) {
      log.warn(
          "not registering yet, the kubelet remembers claims of an earlier boot reason=\"{}\"",
          problem);
      reported = true;
    }
  }
}
