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
 * Opens the sockets, after a boot no sooner than what the kubelet may use without a call is put
 * back. Asks the API server only when the kubelet may remember something.
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
  private boolean told;

  KubeletReconnect(
      ClaimPreparer preparer, NodeReader node, BootRestore bootRestore, PluginSockets sockets) {
    this.preparer = preparer;
    this.node = node;
    this.bootRestore = bootRestore;
    this.sockets = sockets;
  }

  /** The ordinary start: a socket that cannot be made ends it. */
  synchronized void openIfNothingIsRemembered() throws IOException {
    if (preparer.remembered().isEmpty()) {
      open();
    }
  }

  /** To be repeated; does nothing once the sockets are open. */
  synchronized void openWhenDone() throws IOException {
    if (!opened) {
      Optional<String> problem = judged(bootRestore::attempt);
      if (problem.isEmpty()) {
        open();
      } else {
        tell(problem.get());
      }
    }
  }

  /** To be repeated: an old kubelet uses a remembered claim, too, that is reserved only later. */
  synchronized void again() {
    if (opened) {
      judged(bootRestore::again);
    }
  }

  private void open() throws IOException {
    sockets.open();
    opened = true;
  }

  /** What is still not known. */
  private Optional<String> judged(Supplier<Optional<String>> attempt) {
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

  private void tell(String problem) {
    if (!told) {
      log.warn(
          "not registering yet, the kubelet remembers claims of an earlier boot reason=\"{}\"",
          problem);
      told = true;
    }
  }
}
