package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.prepared;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.crds.model.WaitRank;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What it costs to ask for a pod again that wants more than a number of whole GPUs. */
class SuitabilityCacheTest {
  private static final int NODES = 20;

  private final Ledgers ledgers = new Ledgers();
  private final AtomicInteger judgements = new AtomicInteger();

  @BeforeEach
  void fullNodes() {
    for (int i = 0; i < NODES; i++) {
      ledgers.observe(inventory("n" + i, 1));
      Samples.hold(ledgers, "holder" + i, "n" + i, 0);
    }
  }

  /** Wants so many GPUs of one product. */
  private PodRequest wants(String claim, int gpus) {
    return wants(claim, ImmutableList.of(way(gpus)));
  }

  /** Of which each node has others. */
  private PodRequest wantsCertain(String claim, int gpus) {
    return wants(claim, ImmutableList.of(way(gpus, /* differsBetweenNodes= */ true)));
  }

  private static PodRequest wants(String claim, ImmutableList<RequestAlternative> ways) {
    return pod(new RequestFixture(ref(claim), ways).build());
  }

  private RequestAlternative way(int gpus) {
    return way(gpus, /* differsBetweenNodes= */ false);
  }

  private RequestAlternative way(int gpus, boolean differsBetweenNodes) {
    return new RequestAlternative(
        ImmutableList.of(
            DeviceSubRequest.whole(gpus, new CountedCondition(0, differsBetweenNodes, judgements))),
        new DeviceConstraints(Optional.empty(), ImmutableSet.of(MatchAttribute.PRODUCT_NAME)));
  }

  private long refusing(PodRequest request, SearchBudget budget) {
    return IntStream.range(0, NODES)
        .filter(i -> Samples.refusal(ledgers, "n" + i, request, budget).isPresent())
        .count();
  }

  private int judged(PodRequest request) {
    int before = judgements.get();
    assertThat(refusing(request, new SearchBudget())).isEqualTo(NODES);
    return judgements.get() - before;
  }

  @Test
  void whoAsksAgainIsAnsweredFromMemoryUntilTheNodeChanges() {
    int first = judged(wantsCertain("a", 2));
    int again = judged(wantsCertain("a", 2));
    ledgers.release(uid("holder7"), OWNER);
    int changed = judged(wantsCertain("a", 2));

    assertThat(again).as("again").isZero();
    assertThat(changed).as("one node changed").isPositive().isLessThanOrEqualTo(first / NODES);
  }

  @Test
  void ofNodesThatLookAlikeOneIsSearched() {
    int all = judged(wants("a", 2));
    ledgers.release(uid("holder7"), OWNER);
    int freed = judged(wants("a", 2));
    ledgers.commit("n7", wants("b", 1), OWNER, STAMP);
    int taken = judged(wants("a", 2));
    int apart = judged(wantsCertain("a", 2));

    assertThat(freed).as("one looks otherwise").isPositive().isLessThanOrEqualTo(all);
    assertThat(taken).as("as the others again").isZero();
    assertThat(apart).as("each by its own").isEqualTo(NODES * all);
  }

  @Test
  void anotherPodThatAsksForTheSameIsAnsweredFromMemory() {
    int first = judged(wants("a", 1));

    assertThat(judged(wants("b", 1))).as("another claim").isZero();
    assertThat(judged(wants("a", 2))).as("another wish").isGreaterThanOrEqualTo(first);
  }

  @Test
  void aNodeThatKnowsAClaimOrItsNameAnswersThatOneForItself() {
    ledgers.observe(with(inventory("n3", 2), prepared("old", "n3", 0)));
    PodRequest same = wants("old", 1);
    assertThat(Samples.refusal(ledgers, "n3", wants("a", 1), new SearchBudget())).isEmpty();

    assertThat(Samples.refusal(ledgers, "n3", same, new SearchBudget()))
        .hasValueSatisfying(
            no -> assertThat(reason(no, "old").text(Samples.READER)).contains("still prepared"));
    assertThat(Samples.refusal(ledgers, "n3", wants("b", 1), new SearchBudget())).isEmpty();
  }

  @Test
  void aNodeThatHasNotSpokenAnswersALingeringClaimForItself() {
    ledgers.observe(inventory("n3", 2));
    assertThat(Samples.refusal(ledgers, "n3", wants("a", 1), new SearchBudget())).isEmpty();
    PodRequest same = pod(Samples.mayStillBePrepared(wants("old", 1).claims().get(0)));

    assertThat(Samples.refusal(ledgers, "n3", same, new SearchBudget())).isPresent();
    ledgers.nodeSpoke("n3");
    assertThat(Samples.refusal(ledgers, "n3", same, new SearchBudget())).isEmpty();
  }

  @Test
  void eachPodIsToldOfItsOwnClaims() {
    ledgers.observe(inventory("n3", 1));
    ledgers.release(uid("holder3"), OWNER);

    assertThat(together("a", "b")).contains("not together with team-a/b of the same pod");
    assertThat(together("d", "c")).contains("not together with team-a/c of the same pod");
  }

  /** What the first one is told. */
  private String together(String one, String other) {
    PodRequest both = pod(wants(one, 1).claims().get(0), wants(other, 1).claims().get(0));
    return reason(Samples.refusal(ledgers, "n3", both, new SearchBudget()).orElseThrow(), one)
        .text(Samples.READER);
  }

  @Test
  void aPodOfAnyRankIsToldOfItsOwnClaims() {
    ledgers.observe(with(inventory("n3", 2), prepared("old", "n3", 0)));
    ClaimRequest fits = RequestFixture.like(wants("a", 1).claims().get(0)).uid("z").build();
    ClaimRequest kept = RequestFixture.like(wants("old", 1).claims().get(0)).uid("y").build();
    PodRequest pod = new PodRequest(ImmutableList.of(fits, kept), new WaitRank(5, Instant.EPOCH));

    assertThat(Samples.refusal(ledgers, "n3", pod, new SearchBudget()).orElseThrow().reasons())
        .containsOnlyKeys(kept.uid());
  }

  @Test
  void ofManyClaimsEachIsToldItsOwnReason() {
    ledgers.observe(inventory("n3", 20));
    PodRequest twelve =
        pod(
            IntStream.range(0, 12)
                .mapToObj(i -> wants("c%02d".formatted(i), i == 10 ? 30 : 1).claims().get(0))
                .toArray(ClaimRequest[]::new));

    assertThat(Samples.refusal(ledgers, "n3", twelve, new SearchBudget()).orElseThrow().reasons())
        .containsOnlyKeys(uid("c10"));
  }

  @Test
  void aNodeThatNobodyHeardOfRefuses() {
    assertThat(Samples.refusal(ledgers, "nowhere", wants("a", 1), new SearchBudget()))
        .hasValueSatisfying(
            no -> assertThat(reason(no, "a").kind().label()).isEqualTo("inventoryAbsent"));
  }

  @Test
  void whatDidNotFitFitsWhenTheNodeHasRoom() {
    ledgers.observe(inventory("n3", 3));
    PodRequest three = wants("a", 3);
    assertThat(Samples.refusal(ledgers, "n3", three, new SearchBudget())).isPresent();
    ledgers.release(uid("holder3"), OWNER);

    assertThat(Samples.refusal(ledgers, "n3", three, new SearchBudget())).isEmpty();
    ledgers.commit("n3", wants("b", 1), OWNER, STAMP);
    assertThat(Samples.refusal(ledgers, "n3", three, new SearchBudget())).isPresent();
  }

  @Test
  void anAnswerOfAPassThatCouldNotGoOnIsNotKept() {
    ledgers.release(uid("holder3"), OWNER);
    ledgers.observe(inventory("n3", 3));
    SearchBudget over = new SearchBudget();
    exhaust(over);
    PodRequest one = wants("a", 1);
    assertThat(Samples.refusal(ledgers, "n3", one, over)).isPresent();

    assertThat(Samples.refusal(ledgers, "n3", one, new SearchBudget())).isEmpty();
  }

  @Test
  void whatIsTooHardForAPassIsNotSearchedForAgainUntilTheNodeChanges() {
    PodRequest hard =
        pod(
            IntStream.range(0, 12)
                .mapToObj(i -> dear("c" + i).claims().get(0))
                .toArray(ClaimRequest[]::new));
    SearchBudget pass = new SearchBudget();

    assertThat(judged("n0", hard, pass)).isPositive();
    assertThat(pass.isOver()).isTrue();

    assertThat(judged("n0", hard, new SearchBudget())).as("again").isZero();
    ledgers.release(uid("holder0"), OWNER);
    assertThat(judged("n0", hard, new SearchBudget())).as("another state").isPositive();
  }

  private int judged(String node, PodRequest request, SearchBudget budget) {
    int before = judgements.get();
    assertThat(Samples.refusal(ledgers, node, request, budget)).isPresent();
    return judgements.get() - before;
  }

  /** What has too many alternatives, none of which fits. */
  private PodRequest dear(String claim) {
    return wants(
        claim,
        ImmutableList.copyOf(Collections.nCopies(2_000, way(10, /* differsBetweenNodes= */ true))));
  }

  private void exhaust(SearchBudget budget) {
    PodRequest dear = dear("dear");
    for (int i = 0; !budget.isOver(); i++) {
      Samples.refusal(ledgers, "n" + i % NODES, dear, budget);
    }
  }

  @Test
  void whatAPodAskedBeforeIsForgotten() {
    judged(wantsCertain("a", 2));
    judged(wantsCertain("a", 3));

    assertThat(judged(wantsCertain("b", 2))).isPositive();
    assertThat(judged(wantsCertain("c", 3))).as("what it asks now").isZero();
  }

  @Test
  void whatAPodAskedIsForgottenWithItsClaim() {
    judged(wantsCertain("a", 2));
    judged(wantsCertain("b", 2));
    ledgers.gone(uid("a"));
    assertThat(judged(wantsCertain("c", 2))).as("somebody asks it still").isZero();
    ledgers.gone(uid("b"));
    ledgers.gone(uid("c"));

    assertThat(judged(wantsCertain("d", 2))).isPositive();
  }
}
