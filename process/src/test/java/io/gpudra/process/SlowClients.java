package io.gpudra.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.io.Closeables;
import com.google.common.util.concurrent.Uninterruptibles;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Many clients of a port that keep it busy with nothing; one that is closed comes back. */
final class SlowClients implements Closeable {

  private static final Duration BREATH = Duration.ofMillis(200);

  private final SocketAddress port;
  private final List<Client> clients;
  private final CountDownLatch allCame = new CountDownLatch(1);
  private final Thread thread = new Thread(this::bother, "slow-clients");
  private volatile boolean ended;

  /** In which way a client of {@code /page} is slow. */
  enum Kind {
    SILENT("", ""),
    SLOW_TO_SEND("GET /page HTTP/1.1\r\nx: ", "x"),
    SLOW_TO_READ("GET /page HTTP/1.1\r\nHost: here\r\n\r\n", "");

    private final String first;
    private final String then;

    Kind(String first, String then) {
      this.first = first;
      this.then = then;
    }

    /** What it sends at once. */
    byte[] first() {
      return first.getBytes(US_ASCII);
    }
  }

  private SlowClients(int port, List<Client> clients) {
    this.port = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.clients = clients;
  }

  /** Returns when all of them have come once. */
  static SlowClients come(int port, int number) throws InterruptedException {
    SlowClients all =
        new SlowClients(
            port,
            IntStream.range(0, number)
                .mapToObj(i -> new Client(Kind.values()[i % Kind.values().length]))
                .toList());
    all.thread.start();
    all.allCame.await();
    return all;
  }

  private void bother() {
    while (!ended) {
      clients.forEach(client -> client.bother(port));
      allCame.countDown();
      LockSupport.parkNanos(BREATH.toNanos());
    }
    clients.forEach(Client::close);
  }

  @Override
  public void close() {
    ended = true;
    Uninterruptibles.joinUninterruptibly(thread);
  }

  private static final class Client {
    private final Kind kind;
    private @Nullable SocketChannel socket;

    Client(Kind kind) {
      this.kind = kind;
    }

    /** Sends and reads one byte, on a new connection if need be. */
    void bother(SocketAddress port) {
      try {
        SocketChannel open = socket == null ? connect(port) : socket;
        open.write(ByteBuffer.wrap(kind.then.getBytes(US_ASCII)));
        if (open.read(ByteBuffer.allocate(1)) < 0) {
          close();
        }
      } catch (IOException e) {
        close();
      }
    }

    private SocketChannel connect(SocketAddress port) throws IOException {
      SocketChannel open = SocketChannel.open();
      socket = open;
      open.setOption(StandardSocketOptions.SO_RCVBUF, 1024);
      open.connect(port);
      open.configureBlocking(false);
      open.write(ByteBuffer.wrap(kind.first()));
      return open;
    }

    void close() {
      try {
        Closeables.close(socket, true);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      socket = null;
    }
  }
}
