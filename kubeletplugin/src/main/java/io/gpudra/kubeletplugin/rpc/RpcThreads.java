package io.gpudra.kubeletplugin.rpc;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads of both servers. Prepare calls wait for devices on threads of their own, so calls
 * that release devices always find a free thread.
 */
final class RpcThreads implements ServerCallExecutorSupplier, AutoCloseable {

  /** More than the number of GPUs of a node for which calls could wait. */
  private static final int PREPARE = 32;

  private static final int OTHERS = 8;

  private static final Duration CALLS_END = Duration.ofSeconds(3);
  private static final Duration IO_ENDS = Duration.ofSeconds(2);

  /** The maximum time of {@link #close}. */
  static final Duration MAX_STOP = CALLS_END.plus(IO_ENDS);

  private final EventLoopGroup io =
      new MultiThreadIoEventLoopGroup(1, named("grpc-io"), NioIoHandler.newFactory());
  private final ThreadPoolExecutor prepare = pool("grpc-prepare", PREPARE);
  private final ThreadPoolExecutor others = pool("grpc-unprepare", OTHERS);

  /** A pool that creates a thread only while none is idle: each occupies memory for good. */
  private static ThreadPoolExecutor pool(String name, int most) {
    IdleFirst waiting = new IdleFirst();
    return new ThreadPoolExecutor(
        0, most, 30, TimeUnit.SECONDS, waiting, named(name), (task, pool) -> waiting.put(task));
  }

  /** Hands tasks to idle threads at once, and queues those for which there can be no thread. */
  private static final class IdleFirst extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }
  }

  private static ThreadFactory named(String name) {
    return new ThreadFactoryBuilder().setNameFormat(name + "-%d").setDaemon(true).build();
  }

  EventLoopGroup io() {
    return io;
  }

  Executor others() {
    return others;
  }

  @Override
  public <Q, P> @Nullable Executor getExecutor(ServerCall<Q, P> call, Metadata metadata) {
    String method = call.getMethodDescriptor().getBareMethodName();
    return method != null && method.startsWith("NodePrepare") ? prepare : others;
  }

  @Override
  public void close() {
    prepare.shutdown();
    others.shutdown();
    long end = System.nanoTime() + CALLS_END.toNanos();
    await(prepare, end);
    await(others, end);
    io.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(IO_ENDS.toMillis());
  }

  /** Waits until cancelled calls are undone; a thread that hangs is left running. */
  private static void await(ThreadPoolExecutor pool, long end) {
    try {
      if (!pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        pool.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      pool.shutdownNow();
    }
  }
}
