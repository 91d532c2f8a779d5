package io.gpudra.controller.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A way to a server that can swallow what passes it, in both directions and without a word, as a
 * load balancer that forgot a connection or a cable that was cut.
 */
final class BlackHole implements AutoCloseable {
  private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Way> ways = new CopyOnWriteArrayList<>();
  private final int server;

  private static final class Way {
    final Socket client;
    final Socket server;
    volatile boolean swallows;

    Way(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }
  }

  BlackHole(int server) throws IOException {
    this.server = server;
    threads.execute(this::accept);
  }

  int port() {
    return door.getLocalPort();
  }

  /** How many connections were made so far. */
  int connections() {
    return ways.size();
  }

  /** From now on nothing passes on the connections that there are. */
  void swallow() {
    ways.forEach(way -> way.swallows = true);
  }

  private void accept() {
    try {
      while (!door.isClosed()) {
        Way way = new Way(door.accept(), new Socket(InetAddress.getLoopbackAddress(), server));
        ways.add(way);
        threads.execute(() -> pass(way, way.client, way.server));
        threads.execute(() -> pass(way, way.server, way.client));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  /** What is swallowed is read, as the network takes it. */
  private static void pass(Way way, Socket from, Socket to) {
    byte[] buffer = new byte[8192];
    try (InputStream in = from.getInputStream()) {
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!way.swallows) {
          out.write(buffer, 0, read);
          out.flush();
        }
      }
      if (!way.swallows) {
        to.close();
      }
    } catch (IOException e) {
      // One side is gone.
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    for (Way way : ways) {
      way.client.close();
      way.server.close();
    }
    threads.shutdownNow();
  }
}
