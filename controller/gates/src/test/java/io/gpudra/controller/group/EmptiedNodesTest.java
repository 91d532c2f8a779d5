package io.gpudra.controller.group;

import static io.gpudra.controller.group.GroupFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import org.junit.jupiter.api.Test;

/** What is remembered of nodes as if they were empty. */
final class EmptiedNodesTest {
  private final EmptiedNodes emptiedNodes = new EmptiedNodes();

  private NodeLedger emptied(NodeLedger node) {
    return emptiedNodes.of(ImmutableList.of(node), ImmutableSet.of()).get(0);
  }

  @Test
  void aNodeThatIsAsItWasHasTheSameLedger() {
    NodeLedger first = emptied(node("a", 2));

    assertThat(emptied(node("a", 2))).isSameAs(first);
  }

  @Test
  void aNodeThatChangedHasAnotherLedger() {
    NodeLedger first = emptied(node("a", 2));

    assertThat(emptied(node("a", 3))).isNotEqualTo(first).isEqualTo(node("a", 3));
  }

  @Test
  void aNodeThatIsGoneIsForgotten() {
    emptied(node("a", 2));
    emptied(node("b", 2));

    assertThat(emptiedNodes.size()).isOne();
  }
}
