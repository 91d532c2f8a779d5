package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.kube.mapping.ClaimJson;
import io.gpudra.crds.model.ClaimRef;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nobody learns of a claim's past after its present, and the dead stay dead. */
class ClaimOverlayTest {
  private static final ClaimRef REF = new ClaimRef("ns", "c1");

  private final ObjectCache<CachedClaim> cache = new ObjectCache<>();
  private final ClaimOverlay overlay = new ClaimOverlay(cache);
  private final List<String> told = new ArrayList<>();

  @BeforeEach
  void listen() {
    overlay.setListener(
        new ClaimEvents(
            now -> told.add(now.uid() + "@" + now.resourceVersion()),
            (ref, uid) -> told.add("-" + uid)));
  }

  @Test
  void tellsOurOwnWriteAtOnceAndNotAgainWhenTheWatchBringsIt() {
    watched(5);
    overlay.answer(claim(7));
    watched(7);
    assertThat(told).containsExactly("uid-1@5", "uid-1@7");
  }

  @Test
  void keepsBackWhatIsOlderThanOurOwnWrite() {
    watched(5);
    overlay.answer(claim(9));
    watched(7);
    assertThat(newest()).isEqualTo("9");
    watched(10);
    assertThat(told).containsExactly("uid-1@5", "uid-1@9", "uid-1@10");
    assertThat(newest()).isEqualTo("10");
  }

  @Test
  void ignoresAnAnswerThatTheWatchHasOvertaken() {
    watched(9);
    overlay.answer(claim(7));
    assertThat(told).containsExactly("uid-1@9");
    assertThat(newest()).isEqualTo("9");
  }

  @Test
  void ignoresAnAnswerOlderThanAnother() {
    watched(5);
    overlay.answer(claim(9));
    overlay.answer(claim(8));
    assertThat(newest()).isEqualTo("9");
  }

  @Test
  void anAnswerForAClaimTheWatchHasNotReachedIsKnown() {
    cache.completeUpTo("5");
    overlay.answer(claim(8));
    assertThat(newest()).isEqualTo("8");
    assertThat(told).containsExactly("uid-1@8");
  }

  @Test
  void anAnswerForAClaimThatTheWatchSawGoDoesNotBringItBack() {
    watched(5);
    watchedGone(5);
    cache.completeUpTo("9");
    overlay.answer(claim(8));
    assertThat(overlay.newest(REF)).isEmpty();
    assertThat(told).containsExactly("uid-1@5", "-uid-1");
  }

  @Test
  void aGoneClaimTakesOurAnswerWithIt() {
    watched(5);
    overlay.answer(claim(8));
    watchedGone(5);
    assertThat(overlay.newest(REF)).isEmpty();
    assertThat(told).endsWith("-uid-1");
  }

  @Test
  void aClaimThatOurWriteRemovedIsGoneBeforeTheWatchSaysSo() {
    watched(5);
    overlay.answer(claim(8));
    overlay.removed(claim(8));
    assertThat(overlay.newest(REF)).isEmpty();
    watched(8);
    assertThat(overlay.newest(REF)).isEmpty();
    watchedGone(8);
    overlay.removed(claim(8));
    assertThat(told).containsExactly("uid-1@5", "uid-1@8", "-uid-1");
    watched(12);
    assertThat(newest()).as("the same UID cannot come back, but nothing was kept").isEqualTo("12");
  }

  @Test
  void theEndOfAFormerClaimLeavesItsSuccessorAlone() {
    watched(5);
    overlay.answer(ClaimJson.claim(9).uid("uid-2").kept());
    watchedGone(5);
    assertThat(newest()).isEqualTo("9");
    assertThat(told).containsExactly("uid-1@5", "uid-2@9", "-uid-1");
  }

  @Test
  void aListThatLacksAnAnswersClaimEndsIt() {
    cache.completeUpTo("5");
    overlay.answer(claim(8));
    overlay.listed("7");
    assertThat(newest()).isEqualTo("8");
    overlay.listed("20");
    assertThat(overlay.newest(REF)).isEmpty();
    assertThat(told).containsExactly("uid-1@8", "-uid-1");
  }

  @Test
  void aSuccessorSeenByTheWatchEndsAnAnswerThatTheWatchNeverHad() {
    cache.completeUpTo("5");
    overlay.answer(claim(8));
    Kept<CachedClaim> successor = ClaimJson.claim(12).uid("uid-2").kept();
    cache.put(successor);
    overlay.changed(successor);
    assertThat(told).containsExactly("uid-1@8", "-uid-1", "uid-2@12");
  }

  @Test
  void comparesVersionsAsNumbers() {
    watched(99);
    overlay.answer(claim(100));
    assertThat(newest()).isEqualTo("100");
  }

  private String newest() {
    return overlay.newest(REF).orElseThrow().resourceVersion();
  }

  private static Kept<CachedClaim> claim(long version) {
    return ClaimJson.claim(version).kept();
  }

  private void watched(long version) {
    cache.put(claim(version));
    overlay.changed(claim(version));
  }

  private void watchedGone(long version) {
    cache.remove(claim(version));
    overlay.gone(claim(version));
  }
}
