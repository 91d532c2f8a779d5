package io.gpudra.controller.group;

import static io.gpudra.controller.group.GroupFixture.claim;
import static io.gpudra.controller.group.GroupFixture.member;
import static io.gpudra.controller.group.GroupFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.search.SearchBudget;
import org.junit.jupiter.api.Test;

/** How a node is asked for its room. */
class NodeRoomTest {
  private static final NodeLedger NODE = node("a", 2);

  private static NodeRoom room(boolean late) {
    MemberKind kind = new GroupPart(ImmutableList.of(member("p", claim("c", 1)))).kind();
    return new NodeRoom(ImmutableList.of(kind), new SearchBudget(1, () -> late));
  }

  @Test
  void aNodeIsNotLookedAtWhenTheTimeIsOver() {
    NodeRoom late = room(true);

    assertThat(late.isAdmitted(NODE, 0)).isFalse();
    assertThat(late.isUnsure()).isTrue();
    assertThat(room(false).isAdmitted(NODE, 0)).isTrue();
  }

  @Test
  void aNodeThatCannotBeEvaluatedEndsNoPass() {
    NodeRoom room = room(false);

    assertThat(room.more(NODE, new int[0], 0, 1)).isZero();
    assertThat(room.isUnsure()).isTrue();
    assertThat(room.suits(NODE, ImmutableIntArray.of(1, 1))).isFalse();
  }
}
