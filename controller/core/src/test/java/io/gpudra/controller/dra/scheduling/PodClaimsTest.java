package io.gpudra.controller.dra.scheduling;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.WaitRank;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PodClaimsTest {
  private final World world = World.of("worker", 1);

  private PendingPod<String> pending(PodFacts pod) {
    return new PodClaims<>(world.driver, ref -> world.cluster.get(ref), world.cluster).pending(pod);
  }

  private static PodFacts pod(Container... containers) {
    return new PodFacts(
        World.podRef("pod"),
        false,
        false,
        ImmutableList.of(World.direct("a"), World.direct("x")),
        ImmutableList.copyOf(containers));
  }

  @Test
  void eachClaimKnowsHowThePodUsesThemAllWhosever() {
    world.addClaim(claim("a")).addClaim(claim("x").ofClass("other-class"));
    Container both = new Container("both", 0b11);
    PodUse use = pending(pod(both)).pendingClaims().get(0).pod();

    assertThat(use.containers()).containsExactly(both);
    assertThat(use.entries())
        .extracting(entry -> entry.driver().orElse("nobody"))
        .containsExactly(Some.DRIVER, "other-driver");
  }

  @Test
  void aClaimThatWaitsForAPodHasItsRank() {
    world.addClaim(claim("a"));
    WaitRank rank = new WaitRank(5, Some.EPOCH);
    PodFacts pod =
        new PodFacts(
            World.podRef("pod"),
            rank,
            Optional.empty(),
            false,
            false,
            ImmutableList.of(World.direct("a")),
            ImmutableList.of());

    assertThat(pending(pod).pendingClaims().get(0).pod().rank()).isEqualTo(rank);
  }

  @Test
  void aClaimThatEndsIsInTheWayAndItsParametersAreNotAskedFor() {
    world.addClaim(claim("a").withFinalizer(true).deleting()).addClaim(claim("x").byOther());
    PendingPod<String> pending = pending(pod());

    assertThat(pending.claims()).isEmpty();
    assertThat(pending.blockers())
        .singleElement()
        .matches(podBlocker -> podBlocker.reason().kind() == Kind.ENDING)
        .matches(podBlocker -> podBlocker.claim().equals(Optional.of(world.claim("a"))));
    assertThat(world.driver.calls).isEmpty();
  }

  private PodFacts crowd(int claims) {
    ImmutableList.Builder<PodClaim> entries = ImmutableList.builder();
    for (int i = 0; i < claims; i++) {
      world.addClaim(claim("c" + i));
      entries.add(World.direct("c" + i));
    }
    return new PodFacts(World.podRef("pod"), false, false, entries.build());
  }

  @Test
  void parametersOfMoreClaimsThanCanBeServedAreNotAskedFor() {
    assertThat(pending(crowd(SchedulingRules.MAX_ENTRIES + 1)).blockers())
        .singleElement()
        .matches(podBlocker -> podBlocker.reason().kind() == Kind.TOO_MANY);
    assertThat(world.driver.calls).isEmpty();
    assertThat(pending(crowd(SchedulingRules.MAX_ENTRIES)).claims())
        .hasSize(SchedulingRules.MAX_ENTRIES);
  }
}
