package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.request.ClaimRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes that others have a claim to. */
class LeftToOthersTest {
  private final TwoNodes nodes = new TwoNodes();

  @Test
  void whatIsLeftToOthersIsNotTaken() {
    assertThat(commitBut(ImmutableSet.of("n0"), wants("a", 1)))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n1"));
    assertThat(commitBut(ImmutableSet.of("n1"), wants("b", 1), wants("c", 1)))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n0"));
  }

  @Test
  void whatIsLeftToOthersIsNotTakenBySeveralClaimsEither() {
    assertThat(commitBut(ImmutableSet.of("n0"), wants("a", 1), wants("b", 1)))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n1"));
  }

  @Test
  void whoLeavesTheOnlyNodesThatFitToOthersIsToldSo() {
    nodes.ledgers.commit("n0", pod(wants("a", 2)), OWNER, STAMP);

    assertThat(commitBut(ImmutableSet.of("n0", "n1"), wants("b", 1)))
        .isInstanceOfSatisfying(
            CommitResult.NoNode.class,
            none ->
                assertThat(Maps.transformValues(none.reasons(), reason -> reason.kind().label()))
                    .containsOnly(entry("n0", "allMatchingInUse"), entry("n1", "onOffer")));
  }

  @Test
  void whatBecomesFreeIsNotTakenBeforeThoseWhoWaitForItAreTold() {
    List<CommitResult> meanwhile = new ArrayList<>();
    List<Ledgers> asked = new ArrayList<>();
    Ledgers ledgers =
        Samples.telling(
            new RecordingListener() {
              @Override
              public void freed(String node, int devices) {
                asked.forEach(of -> meanwhile.add(takenBy("b", of)));
              }
            });
    asked.add(ledgers);
    ledgers.observe(inventory("n0", 1));

    assertThat(meanwhile)
        .singleElement()
        .isInstanceOfSatisfying(
            CommitResult.NoNode.class,
            none ->
                assertThat(Maps.transformValues(none.reasons(), reason -> reason.kind().label()))
                    .containsOnly(entry("n0", "onOffer")));
    assertThat(takenBy("b", ledgers)).isInstanceOf(CommitResult.Committed.class);
  }

  private static CommitResult takenBy(String claim, Ledgers ledgers) {
    return ledgers.commitBestBut(ImmutableSet::of, pod(wants(claim, 1)), OWNER, STAMP);
  }

  private CommitResult commitBut(ImmutableSet<String> left, ClaimRequest... claims) {
    return nodes.ledgers.commitBestBut(() -> left, pod(claims), OWNER, STAMP);
  }
}
