package io.gpudra.controller.webhook.server;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Executes tasks of clients in its own threads. Client addresses take turns. Tasks of closed
 * connections are dropped. A connection has one task at a time, so the queue is at most as long as
 * the number of connections.
 */
final class FairExecutor implements AutoCloseable {
  private final Map<InetAddress, Queue<Work>> lanes = new LinkedHashMap<>();
  private final int most;
  private final ThreadPoolExecutor threads;
  private int busy;

  private record Work(Channel client, Runnable task) {}

  /**
   * An executor without tasks.
   *
   * @param name of the threads
   * @param most number of threads
   */
  FairExecutor(String name, int most) {
    this.most = most;
    this.threads =
        new ThreadPoolExecutor(
            most,
            most,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new ThreadFactoryBuilder().setNameFormat(name).setDaemon(true).build(),
            new ThreadPoolExecutor.DiscardPolicy());
  }

  /** The executor for tasks of this client. */
  Executor of(Channel client) {
    client.closeFuture().addListener(closed -> drop(client));
    return task -> add(new Work(client, task));
  }

  /** Drops the tasks of a client, since they hold memory and the threads may be busy for long. */
  private synchronized void drop(Channel client) {
    lanes.values().forEach(lane -> lane.removeIf(work -> work.client().equals(client)));
    lanes.values().removeIf(Queue::isEmpty);
  }

  private synchronized void add(Work work) {
    lanes
        .computeIfAbsent(ClientConnections.address(work.client()), none -> new ArrayDeque<>())
        .add(work);
    if (busy < most) {
      busy++;
      threads.execute(this::work);
    }
  }

  /** Runs one task, and then the next one even if the first fails. */
  private void work() {
    Work next = next();
    if (next == null) {
      return;
    }
    try {
      next.task().run();
    } finally {
      threads.execute(this::work);
    }
  }

  private synchronized @Nullable Work next() {
    if (lanes.isEmpty()) {
      busy--;
      return null;
    }
    return nextInTurn();
  }

  private Work nextInTurn() {
    InetAddress address = lanes.keySet().iterator().next();
    Queue<Work> lane = lanes.remove(address);
    Work next = lane.remove();
    if (!lane.isEmpty()) {
      lanes.put(address, lane);
    }
    return next;
  }

  /** Drops waiting tasks. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
