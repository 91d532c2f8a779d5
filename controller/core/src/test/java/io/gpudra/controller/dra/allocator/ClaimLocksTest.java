package io.gpudra.controller.dra.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimUid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whose claims are whose, and who hears that one is free again. */
final class ClaimLocksTest {
  private static final ClaimUid A = new ClaimUid("a");
  private static final ClaimUid B = new ClaimUid("b");
  private static final WorkKey ONE = WorkKey.claim(Some.ref("one"));
  private static final WorkKey OTHER = WorkKey.claim(Some.ref("other"));

  private final List<WorkKey> woken = new ArrayList<>();
  private final ClaimLocks claimLocks = new ClaimLocks(woken::add);

  @Test
  void whoIsTurnedAwayOwnsNothingAndIsWokenAtTheEnd() {
    assertThat(claimLocks.acquire(ImmutableSet.of(B), ONE)).isTrue();
    assertThat(claimLocks.acquire(ImmutableSet.of(A, B), OTHER)).isFalse();
    assertThat(claimLocks.size()).isEqualTo(1);
    claimLocks.release(ImmutableSet.of(A, B), OTHER);
    assertThat(woken).as("it is not its own").isEmpty();
    claimLocks.release(ImmutableSet.of(B), ONE);

    assertThat(woken).containsExactly(OTHER);
    assertThat(claimLocks.size()).isZero();
    assertThat(claimLocks.acquire(ImmutableSet.of(A, B), OTHER)).isTrue();
  }

  @Test
  void ofMuchWorkThatIsTurnedAwaySomeIsWokenAndThatOfAClaimAlways() {
    assertThat(claimLocks.acquire(ImmutableSet.of(A), ONE)).isTrue();
    for (int i = 0; i < 1_000; i++) {
      WorkKey gate = WorkKey.gate(new ObjectKey(Some.NS, "pod/p" + i));
      assertThat(claimLocks.acquire(ImmutableSet.of(A), gate)).isFalse();
    }
    assertThat(claimLocks.acquire(ImmutableSet.of(A), OTHER)).isFalse();
    claimLocks.release(ImmutableSet.of(A), ONE);

    assertThat(woken).hasSize(65).contains(OTHER);
  }

  @Test
  void whatOneOwnsItselfIsNotOwnedByAnother() {
    assertThat(claimLocks.ownedByOther(A, ONE)).isFalse();
    assertThat(claimLocks.acquire(ImmutableSet.of(A), ONE)).isTrue();
    assertThat(claimLocks.acquire(ImmutableSet.of(A), ONE)).as("once more").isTrue();

    assertThat(claimLocks.ownedByOther(A, ONE)).isFalse();
    assertThat(claimLocks.ownedByOther(A, OTHER)).isTrue();
    assertThat(claimLocks.ownedByOther(B, OTHER)).isFalse();
  }
}
