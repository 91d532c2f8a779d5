package io.gpudra.controller.webhook.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FairExecutorTest {
  private final FairExecutor fairExecutor = new FairExecutor("turns-%d", 1);
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch last = new CountDownLatch(1);

  /** The one thread has something to do until this is let go. */
  @BeforeEach
  void keepBusy() {
    fairExecutor.of(from("127.0.0.9")).execute(() -> await(begun));
  }

  @AfterEach
  void close() {
    fairExecutor.close();
  }

  private static EmbeddedChannel from(String address) {
    return new EmbeddedChannel() {
      @Override
      protected SocketAddress remoteAddress0() {
        return new InetSocketAddress(address, 1);
      }
    };
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void lastOf(String address) {
    fairExecutor.of(from(address)).execute(last::countDown);
    begun.countDown();
    await(last);
  }

  @Test
  void oneAddressThatWantsMuchLetsAnotherWaitForOneThingOnly() {
    for (int i = 0; i < 100; i++) {
      fairExecutor.of(from("127.0.0.2")).execute(() -> done.add("stranger"));
    }
    fairExecutor.of(from("127.0.0.1")).execute(() -> done.add("API server"));

    lastOf("127.0.0.2");

    assertThat(done).hasSize(101).startsWith("stranger", "API server");
  }

  @Test
  void nothingIsDoneForAConnectionThatWasClosed() {
    EmbeddedChannel gone = from("127.0.0.2");
    fairExecutor.of(gone).execute(() -> done.add("for nobody"));
    gone.close().syncUninterruptibly();

    lastOf("127.0.0.2");

    assertThat(done).isEmpty();
  }

  private WeakReference<byte[]> waiting(EmbeddedChannel client) {
    byte[] body = new byte[1000];
    fairExecutor.of(client).execute(() -> done.add("read " + body.length));
    return new WeakReference<>(body);
  }

  @Test
  void nothingIsKeptForAConnectionThatWasClosed() {
    EmbeddedChannel gone = from("127.0.0.2");
    WeakReference<byte[]> body = waiting(gone);
    gone.close().syncUninterruptibly();

    Awaitility.await()
        .until(
            () -> {
              System.gc();
              return body.refersTo(null);
            });
    lastOf("127.0.0.2");
    assertThat(done).isEmpty();
  }

  @Test
  void anErrorInOneStopsNoOther() {
    fairExecutor
        .of(from("127.0.0.2"))
        .execute(
            () -> {
              throw new StackOverflowError();
            });

    lastOf("127.0.0.2");

    assertThat(done).isEmpty();
  }
}
