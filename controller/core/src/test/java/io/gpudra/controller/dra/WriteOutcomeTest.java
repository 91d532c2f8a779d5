package io.gpudra.controller.dra;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which writes need no call, by what is known of the claim: here, of one that is to be guarded. */
final class WriteOutcomeTest {
  private static Optional<WriteOutcome> withoutCall(Optional<ClaimFacts> newest) {
    return WriteOutcome.withoutCall(claim("c").facts(), newest, ClaimFacts::guarded);
  }

  @Test
  void ofAClaimThatIsGoneOrAnotherOfItsNameNothingIsWritten() {
    ClaimFacts another = claim("c").uid("another").guarded(true).facts();

    assertThat(withoutCall(Optional.empty())).contains(WriteOutcome.of(Kind.GONE));
    assertThat(withoutCall(Optional.of(another))).contains(WriteOutcome.of(Kind.GONE));
  }

  @Test
  void whatIsThereAlreadyIsDoneWhoeverWroteIt() {
    ClaimFacts guarded = claim("c").version("2").guarded(true).facts();

    assertThat(withoutCall(Optional.of(guarded))).contains(WriteOutcome.done(guarded));
    assertThat(WriteOutcome.done(guarded).now()).contains(guarded);
  }

  @Test
  void whatSomebodyElseWroteMeanwhileIsAConflictAndTheRestNeedsACall() {
    ClaimFacts newer = claim("c").version("2").facts();

    assertThat(withoutCall(Optional.of(newer))).contains(WriteOutcome.of(Kind.CONFLICT));
    assertThat(withoutCall(Optional.of(claim("c").facts()))).isEmpty();
  }
}
