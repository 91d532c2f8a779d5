package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import io.gpudra.controller.metrics.GpuSeconds;
import java.time.Clock;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The hook ends the process, so when it is called, and when not, is all there is to say. */
class LeadershipStateTest {
  private Consumer<String> halt;
  private LeadershipState leadershipState;

  @BeforeEach
  @SuppressWarnings("unchecked")
  void start() {
    halt = mock(Consumer.class);
    leadershipState = new LeadershipState(halt, new GpuSeconds(Clock.systemUTC(), () -> 0));
  }

  @Test
  void whoLosesTheLeadershipHaltsOnceAndSaysWhy() {
    leadershipState.begun(7);
    leadershipState.lost("somebody else leads");
    verify(halt).accept("somebody else leads");
    verifyNoMoreInteractions(halt);
  }

  @Test
  void whoBeginsToLeadOrGivesUpDoesNotHalt() {
    leadershipState.begun(7);
    leadershipState.giveUp();
    assertThat(leadershipState.await()).as("it had begun").isTrue();
    assertThat(leadershipState.epoch()).isEqualTo(7);
    verifyNoInteractions(halt);
  }

  @Test
  void whoGaveUpBeforeItBeganNeverLeads() {
    leadershipState.giveUp();
    leadershipState.begun(7);
    assertThat(leadershipState.await()).isFalse();
    verifyNoInteractions(halt);
  }
}
