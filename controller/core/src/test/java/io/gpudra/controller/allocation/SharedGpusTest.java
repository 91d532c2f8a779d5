package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.Taints;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Several claims with parts of one GPU of 40 GiB. */
class SharedGpusTest {
  private static final String NODE = "n";
  private static final Inventory ONE_GPU = Samples.inventory(NODE, 1);

  private final RecordingListener listener = new RecordingListener();
  private final Ledgers ledgers = Samples.telling(listener);

  SharedGpusTest() {
    ledgers.observe(ONE_GPU);
  }

  private void granted(String claim, int gib, int second) {
    Grant grant =
        GrantFixture.granted(
            Instant.ofEpochSecond(second),
            uid(claim),
            NODE,
            GrantFixture.device("gpu-0", share(gib)));
    ledgers.observe(ref(claim), uid(claim), Optional.of(grant));
  }

  private static GrantedPart share(int gib) {
    return GrantFixture.share(Samples.uuid(NODE, 0), gib);
  }

  private NodeLedger ledger() {
    return ledgers.ledger(NODE);
  }

  @Test
  void sharesThatFitTogetherAreNoDoubleGrant() {
    granted("a", 10, 1);
    granted("b", 30, 2);
    assertThat(ledger().doubleGrants()).isEmpty();
    assertThat(ledger().surplus()).isEmpty();
  }

  @Test
  void withoutAnyOneOfThemTheOthersFit() {
    granted("a", 10, 1);
    granted("b", 10, 2);
    granted("c", 25, 3);
    assertThat(ledger().doubleGrants()).hasSize(1);
    assertThat(ledger().surplus().keySet()).containsExactlyInAnyOrder(uid("a"), uid("b"), uid("c"));
  }

  /** It is asked for each claim that changes, and costs more the more claims there are. */
  @Test
  void whatIsTooMuchIsFoundOnceForEachState() {
    granted("a", 30, 1);
    granted("b", 30, 2);
    NodeLedger once = ledger();

    assertThat(once.surplus()).isNotEmpty().isSameAs(once.surplus());
  }

  @Test
  void whereOneTooManyIsNotAllOfItThoseWhoCameLastAreTooMuch() {
    granted("a", 10, 1);
    granted("b", 10, 2);
    granted("c", 25, 3);
    granted("d", 25, 4);
    assertThat(ledger().surplus().keySet()).containsExactlyInAnyOrder(uid("c"), uid("d"));
  }

  /** It costs the cube of the claims of a GPU, in the thread that reads of all nodes. */
  @Test
  void whatIsTooMuchIsFoundOnEightGpusAtATime() {
    ledgers.observe(Samples.inventory(NODE, 10));
    for (int gpu = 0; gpu < 10; gpu++) {
      Samples.hold(ledgers, "a" + gpu, NODE, gpu);
      Samples.hold(ledgers, "b" + gpu, NODE, gpu);
    }

    assertThat(ledger().doubleGrants()).hasSize(10);
    assertThat(ledger().surplus()).hasSize(2 * 8);
  }

  @Test
  void whatIsPreparedIsNeverTooMuch() {
    granted("a", 30, 1);
    granted("b", 30, 2);
    ledgers.observe(preparing("b", 30));
    assertThat(ledger().surplus().keySet()).containsExactly(uid("a"));
  }

  @Test
  void whatIsPreparedCountsBeforeWhatWasGrantedEarlier() {
    granted("a", 10, 1);
    granted("b", 10, 2);
    granted("c", 25, 3);
    granted("d", 25, 4);
    ledgers.observe(preparing("d", 25));
    assertThat(ledger().surplus().keySet()).containsExactlyInAnyOrder(uid("b"), uid("c"));
  }

  @Test
  void aGrantThatIsTooMuchByItselfIsNoDoubleGrant() {
    granted("a", 50, 1);
    assertThat(ledger().doubleGrants()).isEmpty();
  }

  @Test
  void ofAGpuThatIsGoneOnlyAWholeGrantExcludesOthers() {
    Inventory another =
        Samples.inventory(NODE, ImmutableList.of(Samples.gpu(NODE, 1, Samples.model("A100", 40))));
    granted("a", 30, 1);
    granted("b", 30, 2);
    ledgers.observe(another);
    assertThat(ledger().doubleGrants()).isEmpty();

    Samples.hold(ledgers, "a", NODE, 0);
    assertThat(ledger().doubleGrants()).hasSize(1);
    Samples.hold(ledgers, "b", NODE, 0);
    assertThat(ledger().doubleGrants()).hasSize(1);
    assertThat(ledger().surplus().keySet()).containsExactlyInAnyOrder(uid("a"), uid("b"));
  }

  private static Inventory preparing(String claim, int gib) {
    return Samples.with(ONE_GPU, GrantFixture.prepared(uid(claim), ref(claim), share(gib)));
  }

  @Test
  void aShareThatIsNoLongerPreparedFreesPartOfTheGpu() {
    PreparedClaim a = preparing("a", 10).prepared().get(0);
    PreparedClaim b = preparing("b", 10).prepared().get(0);
    ledgers.observe(Samples.with(ONE_GPU, a, b));
    listener.told();
    ledgers.observe(Samples.with(ONE_GPU, b));
    assertThat(listener.told()).contains("n freed 1");
  }

  @Test
  void aShareThatIsGivenBackFreesPartOfTheGpu() {
    granted("a", 10, 1);
    granted("b", 10, 2);
    listener.told();
    ledgers.observe(ref("a"), uid("a"), Optional.empty());
    assertThat(listener.told()).contains("n freed 1");
    ledgers.release(uid("b"), OWNER);
    assertThat(listener.told()).contains("n freed 1");
  }

  @Test
  void aTaintThatEndsFreesTheRestOfTheGpu() {
    granted("a", 10, 1);
    ledgers.observe(tainted());
    listener.told();
    ledgers.observe(tainted());
    assertThat(listener.told()).doesNotContain("n freed 1");
    ledgers.observe(ONE_GPU);
    assertThat(listener.told()).contains("n freed 1");
  }

  private static Inventory tainted() {
    DeviceTaint hot = Taints.noSchedule("example.com/thermal", "hot");
    return Samples.inventory(
        NODE, ImmutableList.of(ONE_GPU.gpus().get(0).with(ImmutableList.of(hot))));
  }
}
