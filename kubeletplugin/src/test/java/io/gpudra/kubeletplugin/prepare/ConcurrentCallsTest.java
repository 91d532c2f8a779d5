package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.PATIENT;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrentCallsTest {

  private static final int LIMIT = 60;
  private static final ClaimUid U1 = new ClaimUid("u1");
  private static final ClaimUid U2 = new ClaimUid("u2");

  @TempDir Path directory = Path.of("");
  private final Faults faults = new Faults();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private static PrepareOutcome get(Future<PrepareOutcome> future) throws Exception {
    return future.get(LIMIT, SECONDS);
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      assertThat(latch.await(LIMIT, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private Future<PrepareOutcome> prepare(
      ClaimPreparer preparer, PrepareRequest request, PrepareCall call) {
    return threads.submit(() -> preparer.prepare(request, call));
  }

  /** How many calls wait for a claim or a device. */
  private static long waiting() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(e -> e.getKey().getState() == Thread.State.TIMED_WAITING)
        .filter(
            e ->
                Arrays.stream(e.getValue())
                    .anyMatch(frame -> frame.getClassName().equals(NodeClaims.class.getName())))
        .count();
  }

  @Test
  void line30PreparesDifferentClaimsSideBySide() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start(faults, PATIENT);
    CyclicBarrier bothAreSettingUp = new CyclicBarrier(2);
    faults.on(
        "setUp",
        () -> {
          try {
            bothAreSettingUp.await(LIMIT, SECONDS);
          } catch (Exception e) {
            throw new IOException(e);
          }
        });

    Future<PrepareOutcome> one =
        prepare(preparer, node.request("u1", 0), PrepareCall.withoutDeadline());
    Future<PrepareOutcome> other =
        prepare(preparer, node.request("u2", 1), PrepareCall.withoutDeadline());

    assertThat(get(one)).isInstanceOf(Ready.class);
    assertThat(get(other)).isInstanceOf(Ready.class);
  }

  @Test
  void line30PreparesOneClaimOnceForManyCallers() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start(faults, PATIENT);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch othersAreThere = new CountDownLatch(1);
    faults.on(
        "setUp",
        () -> {
          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
          await(othersAreThere);
        });
    faults.on("write", inside::decrementAndGet);

    Future<PrepareOutcome> one =
        prepare(preparer, node.request("u1", 0), PrepareCall.withoutDeadline());
    Future<PrepareOutcome> two =
        prepare(preparer, node.request("u1", 0), PrepareCall.withoutDeadline());
    Future<PrepareOutcome> three =
        prepare(preparer, node.request("u1", 0), PrepareCall.withoutDeadline());
    Awaitility.await("two wait for the third, or got past it")
        .atMost(LIMIT, SECONDS)
        .until(() -> waiting() >= 2 || most.get() > 1);
    othersAreThere.countDown();

    assertThat(get(one)).isEqualTo(get(two)).isEqualTo(get(three));
    assertThat(most).hasValue(1);
    assertThat(preparer.held()).hasSize(1);
  }

  @Test
  void unprepareGetsThroughToAHolderThatManyWaitFor() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start(faults, PATIENT);
    preparer.prepare(node.request("u1", 0), PrepareCall.withoutDeadline());

    Future<PrepareOutcome> waiting =
        prepare(preparer, node.request("u2", 0), PrepareCall.withoutDeadline());
    Awaitility.await("the second call waits").atMost(LIMIT, SECONDS).until(() -> waiting() >= 1);
    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();

    assertThat(get(waiting)).isInstanceOf(Ready.class);
    assertThat(preparer.held()).extracting(PreparedClaim::uid).containsExactly(U2);
  }

  @Test
  void aWaitingCallThatIsCancelledGivesUpAtOnce() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer =
        node.start(faults, new WaitTimeout(Duration.ZERO, Duration.ofSeconds(10 * LIMIT)));
    preparer.prepare(node.request("u1", 0), PrepareCall.withoutDeadline());
    PrepareCall call = PrepareCall.withoutDeadline();
    Future<PrepareOutcome> waiting = prepare(preparer, node.request("u2", 0), call);
    Awaitility.await("the second call waits").atMost(LIMIT, SECONDS).until(() -> waiting() >= 1);

    call.cancel();

    assertThat(get(waiting)).isInstanceOf(Refused.class);
    assertThat(preparer.held()).extracting(PreparedClaim::uid).containsExactly(U1);
  }

  @Test
  void unprepareWaitsForAPrepareOfTheSameClaim() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start(faults, PATIENT);
    CountDownLatch inSetUp = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    faults.on(
        "setUp",
        () -> {
          inSetUp.countDown();
          await(goOn);
        });
    Future<PrepareOutcome> preparing =
        prepare(preparer, node.request("u1", 0), PrepareCall.withoutDeadline());
    await(inSetUp);

    Future<?> unpreparing =
        threads.submit(() -> preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline()));
    goOn.countDown();

    assertThat(get(preparing)).isInstanceOf(Ready.class);
    unpreparing.get(LIMIT, SECONDS);
    assertThat(preparer.held()).isEmpty();
    assertThat(node.ready()).isEmpty();
  }

  @Test
  void oneOfManyCallersGetsADevice() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start(faults, FakeNode.HASTY);

    List<Future<PrepareOutcome>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(prepare(preparer, node.request("c" + i, 0), PrepareCall.withoutDeadline()));
    }

    int ready = 0;
    for (Future<PrepareOutcome> call : calls) {
      ready += get(call) instanceof Ready ? 1 : 0;
    }
    assertThat(ready).isEqualTo(1);
    assertThat(preparer.held()).hasSize(1);
  }
}
