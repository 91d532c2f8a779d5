package io.gpudra.kubeletplugin.rpc;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kubelet watches for the registration socket and calls the DRA socket at once. */
class SocketOrderTest {

  @TempDir Path directory = Path.of("");

  private static Path next(WatchService watch) throws InterruptedException {
    @Nullable WatchKey key = watch.poll(60, TimeUnit.SECONDS);
    assertThat(key).as("a socket file came or went").isNotNull();
    return (Path) key.watchable();
  }

  @Test
  void line25ServesDraBeforeRegistrationExistsAndUntilItIsGone() throws Exception {
    SocketPaths paths = SocketPaths.below(directory.resolve("k"), FakeNode.DRIVER);
    Path dra = Files.createDirectories(parent(paths.dra()));
    Path registration = Files.createDirectories(parent(paths.registration()));
    ClaimCalls calls = new ClaimCalls(new FakeNode(directory).start(), new MetricRegistry());

    try (WatchService starting = FileSystems.getDefault().newWatchService();
        WatchService stopping = FileSystems.getDefault().newWatchService()) {
      // Registered in the other order: what is told first is what happened first.
      registration.register(starting, ENTRY_CREATE);
      dra.register(starting, ENTRY_CREATE);
      PluginSockets sockets = PluginSockets.unopened(paths, calls, status -> {});
      sockets.open();
      assertThat(next(starting)).isEqualTo(dra);
      assertThat(next(starting)).isEqualTo(registration);

      dra.register(stopping, ENTRY_DELETE);
      registration.register(stopping, ENTRY_DELETE);
      sockets.close();
      assertThat(next(stopping)).isEqualTo(registration);
      assertThat(next(stopping)).isEqualTo(dra);
    }
  }

  private static Path parent(Path socket) throws IOException {
    Path parent = socket.getParent();
    if (parent == null) {
      throw new IOException(socket + " has no directory");
    }
    return parent;
  }
}
