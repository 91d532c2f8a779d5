package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.grant;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.prepared;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import org.junit.jupiter.api.Test;

/** A claim has left a node when nothing there is held or prepared for it. */
class LeavingTest {
  private final TwoNodes nodes = new TwoNodes();
  private final Ledgers ledgers = nodes.ledgers;

  @Test
  void aClaimLeavesWhenItsDevicesAreGivenBack() {
    assertThat(ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP)).isNotNull();
    ledgers.granted(uid("a"), OWNER);
    nodes.observe("a", grant("a", "n0", 0));
    assertThat(nodes.listener.left()).isEmpty();

    ledgers.release(uid("a"), OWNER);

    assertThat(nodes.listener.left()).containsExactly("uid-of-a");
  }

  @Test
  void aClaimThatIsPreparedLeavesWhenTheNodeHasLetItGo() {
    nodes.observe("a", grant("a", "n0", 0));
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    nodes.observeNothing("a");
    assertThat(nodes.listener.left()).isEmpty();

    ledgers.observe(inventory("n0", 2));

    assertThat(nodes.listener.left()).containsExactly("uid-of-a");
  }

  @Test
  void aClaimIsReleasedWhenItsNodeHoldsNothingForItBePreparedOrNot() {
    nodes.observe("a", grant("a", "n0", 0));
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    String held = "n0 " + ledgers.ledger("n0").holds().get(uid("a"));
    assertThat(nodes.listener.released()).isEmpty();

    nodes.observeNothing("a");
    ledgers.observe(inventory("n0", 2));

    assertThat(nodes.listener.released()).containsExactly(held);
  }

  @Test
  void aClaimThatIsHeldAfterItWasPreparedLeavesWithItsGrant() {
    nodes.observe("a", grant("a", "n0", 0));
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    ledgers.observe(inventory("n0", 2));
    assertThat(nodes.listener.left()).isEmpty();

    nodes.observeNothing("a");

    assertThat(nodes.listener.left()).containsExactly("uid-of-a");
  }

  @Test
  void aHandleThatCannotBeReadLeavesWithItsClaim() {
    ledgers.observeUnreadable(uid("a"), "n0", new NodeLedger.Unreadable(ref("a"), "too new"));
    assertThat(nodes.listener.left()).isEmpty();

    nodes.observeNothing("a");

    assertThat(nodes.listener.left()).containsExactly("uid-of-a");
  }
}
