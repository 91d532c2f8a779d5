package io.gpudra.controller.dra;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Which writes need no call, by what is known of the claim: here, of one that gets our finalizer.
 */
final class WriteOutcomeTest {
  private static Optional<WriteOutcome> withoutCall(Optional<ClaimFacts> newest) {
    return WriteOutcome.withoutCall(claim("c").facts(), newest, ClaimFacts::hasFinalizer);
  }

  @Test
  void ofAClaimThatIsGoneOrAnotherOfItsNameNothingIsWritten() {
    ClaimFacts another = claim("c").uid("another").withFinalizer(true).facts();

    assertThat(withoutCall(Optional.empty())).contains(WriteOutcome.of(Kind.GONE));
    assertThat(withoutCall(Optional.of(another))).contains(WriteOutcome.of(Kind.GONE));
  }

  @Test
  void whatIsThereAlreadyIsDoneWhoeverWroteIt() {
    ClaimFacts withFinalizer = claim("c").version("2").withFinalizer(true).facts();

    assertThat(withoutCall(Optional.of(withFinalizer))).contains(WriteOutcome.done(withFinalizer));
    assertThat(WriteOutcome.done(withFinalizer).now()).contains(withFinalizer);
  }

  @Test
  void whatSomebodyElseWroteMeanwhileIsAConflictAndTheRestNeedsACall() {
    ClaimFacts newer = claim("c").version("2").facts();

    assertThat(withoutCall(Optional.of(newer))).contains(WriteOutcome.of(Kind.CONFLICT));
    assertThat(withoutCall(Optional.of(claim("c").facts()))).isEmpty();
  }
}
