package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Real threads on the same nodes and the same claims. */
class LedgersStressTest {

  private static final int WORKERS = 4;
  private static final int ROUNDS = 3_000;
  private static final List<String> NODES = List.of("n0", "n1");
  private static final int CLAIMS = 6;

  private final Ledgers ledgers = Samples.telling(new RecordingListener());
  private final Map<String, HoldOwner> holders = new ConcurrentHashMap<>();
  private final Map<String, HoldOwner> committed = new ConcurrentHashMap<>();
  private final AtomicInteger commits = new AtomicInteger();

  @Test
  void noDeviceAndNoClaimIsEverHeldTwice() throws Exception {
    NODES.forEach(node -> ledgers.observe(inventory(node, 3)));
    CyclicBarrier start = new CyclicBarrier(WORKERS);
    ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        int worker = i;
        running.add(workers.submit(() -> work(worker, start)));
      }
      for (Future<?> one : running) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      workers.shutdownNow();
    }

    assertThat(commits.get()).isPositive();
    assertThat(ledgers.snapshot()).allMatch(ledger -> ledger.holds().isEmpty());
  }

  private Void work(int worker, CyclicBarrier start) throws Exception {
    Random random = new Random(worker);
    HoldOwner owner = new HoldOwner("worker " + worker);
    start.await(60, TimeUnit.SECONDS);
    for (int round = 0; round < ROUNDS; round++) {
      ledgers.observe(inventory(NODES.get(round % 2), 3 + random.nextInt(2)));
      PodRequest request = pod(wants("c" + random.nextInt(CLAIMS), 1 + random.nextInt(2)));
      CommitResult commitResult =
          random.nextBoolean()
              ? ledgers.commit(NODES.get(random.nextInt(2)), request, owner, STAMP)
              : ledgers.commitBest(request, owner, STAMP);
      if (commitResult instanceof CommitResult.Committed done) {
        done.grants().values().forEach(grant -> useAndGiveBack(grant, owner, random));
      }
    }
    return null;
  }

  private void useAndGiveBack(Grant grant, HoldOwner owner, Random random) {
    commits.incrementAndGet();
    String claim = grant.claim().value();
    assertThat(committed.putIfAbsent(claim, owner)).isNull();
    grant
        .devices()
        .forEach(device -> assertThat(holders.putIfAbsent(device.uuid(), owner)).isNull());
    String name = claim.substring("uid-of-".length());
    if (random.nextBoolean()) {
      ledgers.granted(uid(name), owner);
    }
    ledgers.observe(ref(name), uid(name), Optional.of(grant));
    grant.devices().stream().map(GrantedDevice::uuid).forEach(holders::remove);
    committed.remove(claim);
    ledgers.release(uid(name), owner);
  }
}
