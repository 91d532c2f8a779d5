package io.gpudra.controller.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a namespace with too many keys, or too long ones, leaves to the others. */
final class FairnessTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final WorkQueue queue = new WorkQueue(System::nanoTime);

  private String polled() {
    return queue.poll().map(ObjectKey::toString).orElse("nobody");
  }

  @Test
  void aNamespaceHasThreeQuartersOfTheWorkersAtMost() {
    queue.workers(8);
    for (int i = 0; i < 10; i++) {
      queue.add(new ObjectKey("busy", "" + i));
      queue.addFirst(new ObjectKey("busy", "first-" + i));
    }
    for (int i = 0; i < 6; i++) {
      assertThat(polled()).isEqualTo("busy/first-" + i);
    }
    assertThat(polled()).as("six of eight").isEqualTo("nobody");
    queue.add(new ObjectKey("other", "0"));
    queue.add(new ObjectKey("other", "1"));
    assertThat(polled()).isEqualTo("other/0");
    queue.finished(new ObjectKey("busy", "first-0"));
    assertThat(polled()).as("busy has five, and two are idle").isEqualTo("busy/first-6");
    assertThat(polled()).isEqualTo("other/1");
  }

  @Test
  void aWorkerThatMayHaveAnotherKeyIsWoken() throws Exception {
    Semaphore end = new Semaphore(0);
    AtomicInteger begun = new AtomicInteger();
    WorkQueue real = new WorkQueue(System::nanoTime);
    WorkLoop workers =
        new WorkLoop(
            "woken",
            real,
            key -> {
              begun.incrementAndGet();
              end.acquire();
              return ReconcileResult.done();
            },
            new MetricRegistry());
    workers.start(4);
    for (int i = 0; i < 4; i++) {
      real.add(new ObjectKey("busy", "" + i));
    }
    await().atMost(LIMIT).until(() -> begun.get() == 3);
    end.release();
    await().atMost(LIMIT).until(() -> begun.get() == 4);
    end.release(3);
    assertThat(workers.stop(LIMIT)).isTrue();
  }

  @Test
  void asManyWorkersAreWokenAsMayHaveAnotherKey() throws Exception {
    queue.workers(7);
    for (int i = 0; i < 3; i++) {
      assertThat(queue.takeNow(new ObjectKey("a", "" + i))).isTrue();
      assertThat(queue.takeNow(new ObjectKey("b", "" + i))).isTrue();
    }
    queue.add(new ObjectKey("a", "next"));
    queue.add(new ObjectKey("b", "next"));
    List<FutureTask<Optional<ObjectKey>>> taken =
        List.of(new FutureTask<>(queue::take), new FutureTask<>(queue::take));
    List<Thread> idle = taken.stream().map(Thread::new).toList();
    idle.forEach(Thread::start);
    for (Thread worker : idle) {
      await().atMost(LIMIT).until(() -> worker.getState() == Thread.State.WAITING);
    }
    queue.finished(new ObjectKey("b", "0"));

    assertThat(taken)
        .extracting(key -> key.get(LIMIT.toSeconds(), TimeUnit.SECONDS).orElseThrow().toString())
        .containsExactlyInAnyOrder("a/next", "b/next");
  }
}
