package io.gpudra.controller.quota;

import static io.gpudra.controller.quota.QuotaWorld.TEAM;
import static io.gpudra.controller.quota.QuotaWorld.limit;
import static io.gpudra.controller.quota.QuotaWorld.pod;
import static io.gpudra.controller.quota.QuotaWorld.uid;
import static io.gpudra.controller.quota.QuotaWorld.wants;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.crds.model.HoldOwner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many threads that commit for one namespace, which may have one GPU more. */
class QuotaStressTest {
  private static final int THREADS = 8;
  private static final int COMMITS = 100;

  private final QuotaWorld world = new QuotaWorld("n0", "n1", "n2");
  private final AtomicInteger limited = new AtomicInteger();
  private final AtomicInteger exceeded = new AtomicInteger();

  @Test
  void threadsTogetherNeverHoldMoreThanAQuotaAllows() throws Exception {
    world.hold("held", "n0", 0, 1, 2, 3);
    world.quotas(limit("gpus", "5", null));
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    for (Future<?> done :
        IntStream.range(0, THREADS).mapToObj(i -> threads.submit(() -> run(i))).toList()) {
      done.get();
    }
    threads.shutdown();

    assertThat(exceeded).hasValue(0);
    assertThat(limited).hasPositiveValue();
    assertThat(world.used("gpus").thousandths()).isEqualTo(4_000);
  }

  private void run(int thread) {
    HoldOwner owner = new HoldOwner("pass " + thread);
    for (int i = 0; i < COMMITS; i++) {
      String claim = "c-%d-%d".formatted(thread, i);
      CommitResult result =
          world.ledgers.commitBest(pod(wants(claim, 1 + i % 2)), owner, QuotaWorld.AUDIT);
      limited.addAndGet(result instanceof CommitResult.Limited ? 1 : 0);
      exceeded.addAndGet(world.book.uses(TEAM).get(0).exceeded() ? 1 : 0);
      world.ledgers.release(uid(claim), owner);
    }
  }
}
