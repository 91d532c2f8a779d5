package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A network namespace with one way out, to a server of this process. There packets can be dropped:
 * nobody is refused, no connection ends, nothing is acknowledged.
 */
final class Island implements AutoCloseable {
  private static final long PID = ProcessHandle.current().pid();

  private final String name = "island-" + PID;
  private final String link = "isl" + PID;
  private final String outside = address(1);
  private final String inside = address(2);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final URI server;
  private final ServerSocket door;

  private Island(URI server) throws IOException {
    this.server = server;
    connect();
    this.door = new ServerSocket(0, 50, InetAddress.getByName(outside));
    threads.execute(this::accept);
  }

  /** Skips the test when this user cannot make one. */
  static Island with(URI server) throws IOException {
    assumeThat(call("ip", "netns", "list")).as("exit code of ip, of the package iproute2").isZero();
    assumeThat(call("iptables", "--list"))
        .as("exit code of iptables, which needs root rights")
        .isZero();
    return new Island(server);
  }

  /**
   * Of a network of four addresses of this process alone, in 198.18.0.0/15 (RFC 2544): another one,
   * or one that was killed, has another.
   */
  private static String address(int host) {
    long ofAll = PID % (1 << 15) * 4 + host;
    return "198.%d.%d.%d".formatted(18 + (ofAll >> 16), ofAll >> 8 & 255, ofAll & 255);
  }

  private void connect() throws IOException {
    run("ip", "netns", "add", name);
    run("ip", "link", "add", link, "type", "veth", "peer", "name", "out", "netns", name);
    run("ip", "address", "add", outside + "/30", "dev", link);
    run("ip", "link", "set", link, "up");
    run("ip", "-n", name, "address", "add", inside + "/30", "dev", "out");
    run("ip", "-n", name, "link", "set", "out", "up");
    run("ip", "-n", name, "link", "set", "lo", "up");
  }

  /** Where the server is found from there. */
  URI server() {
    return URI.create("http://%s:%d".formatted(outside, door.getLocalPort()));
  }

  /** What a command there begins with. */
  List<String> prefix() {
    return List.of("ip", "netns", "exec", name);
  }

  void dropPackets() throws IOException {
    for (String chain : List.of("INPUT", "OUTPUT")) {
      run("ip", "netns", "exec", name, "iptables", "-A", chain, "-j", "DROP");
    }
  }

  void letPacketsFlow() throws IOException {
    run("ip", "netns", "exec", name, "iptables", "--flush");
  }

  private void accept() {
    try {
      while (!door.isClosed()) {
        Socket client = kept(door.accept());
        Socket own = kept(new Socket(server.getHost(), server.getPort()));
        threads.execute(() -> pass(client, own));
        threads.execute(() -> pass(own, client));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private Socket kept(Socket socket) {
    sockets.add(socket);
    return socket;
  }

  private static void pass(Socket from, Socket to) {
    try (to;
        InputStream in = from.getInputStream()) {
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    } catch (IOException e) {
      // One side is gone.
    }
  }

  private static void run(String... command) throws IOException {
    int code = call(command);
    if (code != 0) {
      throw new IOException("%s ended with %d".formatted(String.join(" ", command), code));
    }
  }

  /** Nobody can run what is not there. */
  private static int call(String... command) throws InterruptedIOException {
    try {
      return new ProcessBuilder(command)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start()
          .waitFor();
    } catch (IOException e) {
      return 127;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(String.join(" ", command));
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    threads.shutdownNow();
    // The kernel takes its time with what is in a namespace that goes.
    run("ip", "link", "delete", link);
    run("ip", "netns", "delete", name);
  }
}
