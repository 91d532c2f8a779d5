package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The hook ends the process, so when it is called, and when not, is all there is to say. */
class LeadingTest {
  private Consumer<String> halt;
  private Leading leading;

  @BeforeEach
  @SuppressWarnings("unchecked")
  void start() {
    halt = mock(Consumer.class);
    leading = new Leading(halt);
  }

  @Test
  void whoLosesTheLeadershipHaltsOnceAndSaysWhy() {
    leading.begun(7);
    leading.lost("somebody else leads");
    verify(halt).accept("somebody else leads");
    verifyNoMoreInteractions(halt);
  }

  @Test
  void whoBeginsToLeadOrGivesUpDoesNotHalt() {
    leading.begun(7);
    leading.giveUp();
    assertThat(leading.await()).as("it had begun").isTrue();
    assertThat(leading.epoch()).isEqualTo(7);
    verifyNoInteractions(halt);
  }

  @Test
  void whoGaveUpBeforeItBeganNeverLeads() {
    leading.giveUp();
    leading.begun(7);
    assertThat(leading.await()).isFalse();
    verifyNoInteractions(halt);
  }
}
