package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.access.ClusterViews;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaitingPodsTest {
  private static final ImmutableList<ClaimFacts> CLAIMS =
      IntStream.range(0, 30)
          .mapToObj(i -> Some.claim("claim-" + i).facts())
          .collect(ImmutableList.toImmutableList());

  private final AtomicLong nanos = new AtomicLong();

  private static PodView pod(ClaimFacts claim) {
    PodRef ref = new PodRef(claim.ref().namespace(), claim.ref().name(), "uid");
    PodFacts.PodClaim entry =
        new PodFacts.PodClaim("gpu", new PodFacts.Resolution.ResolvedTo(claim.ref(), false));
    return new PodView(
        new PodFacts(ref, false, false, ImmutableList.of(entry)),
        Some.EPOCH,
        Optional.empty(),
        "Pending",
        Optional.empty(),
        PodView.Scheduling.USUAL);
  }

  private static UserView thirtyPodsOfAClassThatThereIsNot() {
    ClusterView sight =
        ClusterViews.of(
            CLAIMS,
            CLAIMS.stream().map(WaitingPodsTest::pod).collect(ImmutableList.toImmutableList()));
    return UserView.of(sight, Some.DRIVER, Some.EPOCH);
  }

  /** How many have a reason, with so many looks at the clock. */
  private long judged(long looks) {
    WaitingPods waiting =
        WaitingPods.of(
            thirtyPodsOfAClassThatThereIsNot(), new QueryDeadline(nanos::incrementAndGet, looks));
    assertThat(waiting.total()).isEqualTo(30);
    assertThat(waiting.pods()).hasSize(30);
    return waiting.pods().stream().filter(pod -> !pod.why().isEmpty()).count();
  }

  @Test
  void podsThatThereIsNoTimeForAreListedWithoutAReason() {
    assertThat(judged(3)).isEqualTo(3);
  }

  @Test
  void whoHasTimeJudgesTheOldest() {
    assertThat(judged(100)).isEqualTo(25);
  }
}
