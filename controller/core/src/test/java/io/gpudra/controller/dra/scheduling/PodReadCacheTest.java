package io.gpudra.controller.dra.scheduling;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.scheduling.PodReadCache.Read;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PodReadCacheTest {
  /** A clock that wraps while it is looked at. */
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 500_000_000);

  private final AtomicInteger calls = new AtomicInteger();
  private Optional<PodFacts> pod = pod(/* deleting= */ false, /* terminal= */ false);
  private final PodReadCache reads = new PodReadCache(unused -> read(), pod -> false, now::get);

  private Optional<PodFacts> read() {
    calls.incrementAndGet();
    return pod;
  }

  private static Optional<PodFacts> pod(boolean deleting, boolean terminal) {
    return Optional.of(new PodFacts(World.podRef("pod"), deleting, terminal, ImmutableList.of()));
  }

  private static ContextFacts context(String uid, String version) {
    return new ContextFacts(
        World.podRef("pod"),
        uid,
        version,
        Some.EPOCH,
        false,
        Optional.of("worker"),
        ImmutableSet.of(),
        ImmutableMap.of());
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private boolean stillGood(Some claim) {
    return reads.stillGood(context("u", "1"), ImmutableSet.of(claim.facts()));
  }

  @BeforeEach
  void readOnce() throws ApiUnavailableException {
    assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Live.class);
  }

  @Test
  void onePodIsReadOncePerContextWhateverItsVersion() throws ApiUnavailableException {
    pass(Duration.ofHours(1));
    assertThat(reads.of(context("u", "2"))).isInstanceOf(Read.Live.class);
    assertThat(calls.get()).isEqualTo(1);
    assertThat(reads.of(context("another", "3"))).isInstanceOf(Read.Live.class);
    assertThat(calls.get()).isEqualTo(2);
  }

  @Test
  void theEndOfAPodIsFinal() throws ApiUnavailableException {
    for (Optional<PodFacts> end :
        ImmutableSet.of(Optional.<PodFacts>empty(), pod(true, false), pod(false, true))) {
      pod = end;
      reads.forget(context("u", "1").key());
      assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Ended.class);
      int before = calls.get();
      reads.doubt(context("u", "1").key());
      pass(Duration.ofHours(1));
      assertThat(reads.of(context("u", "2"))).isInstanceOf(Read.Ended.class);
      assertThat(calls.get()).isEqualTo(before);
    }
  }

  @Test
  void aClaimThatLosesItsAllocationUsesTheReadUp() throws ApiUnavailableException {
    assertThat(stillGood(claim("c"))).isTrue();
    assertThat(stillGood(claim("c").byOther())).isTrue();
    assertThat(stillGood(claim("c"))).isFalse();
    assertThat(reads.of(context("u", "1"))).isEqualTo(new Read.Later(Duration.ofSeconds(1)));
    assertThat(reads.of(context("u", "2"))).as("changed since").isInstanceOf(Read.Live.class);
    assertThat(calls.get()).isEqualTo(2);
  }

  @Test
  void aReadThatWasUsedUpLongAgoIsRepeatedAtOnce() throws ApiUnavailableException {
    assertThat(stillGood(claim("c").byOther())).isTrue();
    pass(Duration.ofMillis(300));
    assertThat(stillGood(claim("c"))).isFalse();
    pass(Duration.ofMillis(300));
    assertThat(reads.of(context("u", "1"))).isEqualTo(new Read.Later(Duration.ofMillis(700)));
    pass(Duration.ofHours(1));
    assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Live.class);
    assertThat(calls.get()).isEqualTo(2);
  }

  @Test
  void whatWasForgottenIsNotGoodAnyMore() {
    assertThat(reads.size()).isEqualTo(1);
    reads.forget(context("u", "1").key());
    assertThat(reads.size()).isZero();
    assertThat(stillGood(claim("c"))).isFalse();
  }

  @Test
  void aGrantOfOurOwnThatIsGoneUsesTheReadUpToo() {
    reads.granted(context("u", "1").key(), ImmutableSet.of(claim("c").facts().uid()));
    assertThat(stillGood(claim("c"))).isFalse();
  }

  @Test
  void aClaimAskedForItsEndUsesTheReadUpOnce() throws ApiUnavailableException {
    assertThat(stillGood(claim("c").byOther())).isTrue();
    assertThat(stillGood(claim("c").byOther().requested(true))).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Live.class);
    assertThat(stillGood(claim("c").byOther().requested(true))).isTrue();
    assertThat(stillGood(claim("c").byOther().requested(true))).isTrue();
    assertThat(calls.get()).isEqualTo(2);
  }

  @Test
  void aClaimRecreatedUnderItsNameUsesTheReadUp() throws ApiUnavailableException {
    assertThat(stillGood(claim("c"))).isTrue();
    assertThat(stillGood(claim("c").uid("successor"))).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Live.class);
    assertThat(stillGood(claim("c").uid("successor"))).isTrue();
    assertThat(calls.get()).isEqualTo(2);
  }

  @Test
  void aDoubtedReadIsRepeatedOnceItIsASecondOld() throws ApiUnavailableException {
    reads.doubt(context("u", "1").key());
    assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Live.class);
    assertThat(calls.get()).isEqualTo(1);
    pass(Duration.ofSeconds(1));
    assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Live.class);
    assertThat(calls.get()).isEqualTo(2);
    pass(Duration.ofSeconds(1));
    assertThat(reads.of(context("u", "1"))).isInstanceOf(Read.Live.class);
    assertThat(calls.get()).as("no doubt about the new one").isEqualTo(2);
  }
}
