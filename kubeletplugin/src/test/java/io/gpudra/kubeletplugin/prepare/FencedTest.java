package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.pods.NodePods.PodSet;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A claim that is gone, which its pod still uses and no other may begin to. */
class FencedTest {

  private static final ClaimUid U1 = new ClaimUid("u1");

  @TempDir Path directory = Path.of("");

  private FakeNode node;
  private ClaimPreparer preparer;
  private LostClaimReclaimer lostClaimReclaimer;
  private final ManualClock clock = new ManualClock();
  private final Faults faults = new Faults();

  @BeforeEach
  void aPodUsesAClaimThatItsKubeletKnowsFromAnEarlierBoot() throws IOException {
    node = new FakeNode(directory);
    node.pods = Optional.of(new PodSet(ImmutableSet.of("pod-of-u1"), ImmutableSet.of()));
    node.grants.grant(ref("u1"), node.grant("u1", 0));
    start();
    prepare();
    node.bootId = "boot-2";
    start();
    prepare();
  }

  private void start() throws IOException {
    preparer = node.start(faults, FakeNode.PATIENT);
    lostClaimReclaimer = preparer.lostClaimReclaimer(clock);
  }

  private PrepareOutcome prepare() {
    PrepareOutcome outcome = preparer.prepare(node.request("u1", 0), PrepareCall.withoutDeadline());
    preparer.answered(ImmutableList.of(U1));
    return outcome;
  }

  /** Up to just before no container may begin to use it. */
  private void delete() {
    node.grants.put(ref("u1"), new LiveGrant.Gone());
    for (int i = 0; i < 5; i++) {
      look();
    }
  }

  private void look() {
    lostClaimReclaimer.attempt();
    clock.advance(Duration.ofMinutes(1));
  }

  /** After a call has looked whether to ask, and before it has the claim. */
  private void meanwhile(Faults.Hook happens) {
    AtomicInteger looks = new AtomicInteger();
    faults.on(
        "gpus",
        () -> {
          if (looks.incrementAndGet() == 2) {
            happens.run();
          }
        });
  }

  @Test
  void noContainerBeginsWhoseCallCameJustBefore() throws IOException {
    delete();
    meanwhile(this::look);

    assertThat(prepare()).isInstanceOf(PrepareOutcome.Refused.class);
    assertThat(node.specs()).isEmpty();
    assertThat(node.ready()).hasSize(1);
  }

  @Test
  void whatWasBrokenBeforeIsRepairedOnceItIsOpened() throws IOException {
    faults.fail("setUp");
    start();
    delete();
    look();
    preparer.sweep();
    AtomicInteger repairs = new AtomicInteger();
    faults.on("setUp", repairs::incrementAndGet);
    node.grants.grant(ref("u1"), node.grant("u1", 0));
    look();

    preparer.sweep();

    assertThat(repairs).hasValue(1);
  }
}
