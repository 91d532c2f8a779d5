package io.gpudra.controller.dra.granting;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.Handle;
import io.gpudra.controller.dra.granting.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.granting.Member.State;
import io.gpudra.controller.dra.telling.Loss;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is told of a batch at its end. */
final class SettledTest {
  private static final Member GRANTED = member("granted", State.GRANTED);
  private static final Member TAKEN = member("taken", State.TAKEN);
  private static final Member ABORTED = member("aborted", State.ABORTED);

  private static Member member(String name, State end) {
    Handle handle = new Handle(name + "#0", Optional.of("node-of-" + name), false);
    return Member.open(claim(name).facts(), handle).ends(end);
  }

  @Test
  void onlyWhatIsGrantedHasADeviceAndOnlyWhatWasLostByItselfIsTold() {
    Settled settled = new Settled(Optional.empty(), ImmutableList.of(GRANTED, TAKEN, ABORTED));

    assertThat(settled.granted()).containsExactly(GRANTED.seen().uid());
    assertThat(settled.nodes()).containsExactly("node-of-granted");
    assertThat(settled.lost()).containsExactly(TAKEN, ABORTED);
    assertThat(settled.losses()).isEqualTo(ImmutableMap.of(TAKEN.seen(), Loss.TAKEN));
  }
}
