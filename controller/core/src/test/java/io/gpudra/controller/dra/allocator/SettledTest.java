package io.gpudra.controller.dra.allocator;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.allocator.BatchMember.State;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is told of a batch at its end. */
final class SettledTest {
  private static final BatchMember GRANTED = member("granted", State.GRANTED);
  private static final BatchMember TAKEN = member("taken", State.TAKEN);
  private static final BatchMember ABORTED = member("aborted", State.ABORTED);

  private static BatchMember member(String name, State end) {
    ResourceHandle handle = new ResourceHandle(name + "#0", Optional.of("node-of-" + name), false);
    return BatchMember.open(claim(name).facts(), handle).withState(end);
  }

  @Test
  void onlyWhatIsGrantedHasADeviceAndOnlyWhatWasLostByItselfIsTold() {
    Settled settled = new Settled(ImmutableMap.of(), ImmutableList.of(GRANTED, TAKEN, ABORTED));

    assertThat(settled.granted()).containsExactly(GRANTED.seen().uid());
    assertThat(settled.nodes()).containsExactly("node-of-granted");
    assertThat(settled.lost()).containsExactly(TAKEN, ABORTED);
    assertThat(settled.losses()).isEqualTo(ImmutableMap.of(TAKEN.seen(), Kind.CLAIM_TAKEN));
  }
}
