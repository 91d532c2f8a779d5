package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Collections;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The claims of a search and their parents. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SearchProblemTest {
  private static final int MANY = 3_000;

  private static ClaimRequest claim(String name) {
    return new RequestFixture(
            new ClaimRef("team-a", name),
            ImmutableList.of(
                new RequestAlternative(
                    ImmutableList.of(DeviceSubRequest.whole(1, Among.EVERY)),
                    DeviceConstraints.ANYHOW)))
        .build();
  }

  private static ClaimRequest inside(String name, String parent) {
    return RequestFixture.like(claim(name)).inside(claim(parent)).build();
  }

  private static SearchProblem problem(ImmutableList<ClaimRequest> claims) {
    return SearchProblem.of(
        NodeLedger.of(NodeFixture.node("node").gpus(1, GpuModels.A100).inventory()), claims);
  }

  private static String name(int claim) {
    return "c%04d".formatted(claim);
  }

  @Test
  void claimsInsideEachOtherAreEachOneOfAFamily() {
    SearchProblem problem =
        problem(
            ImmutableList.of(
                inside("a", "b"), inside("b", "c"), inside("c", "b"), claim("d"), claim("e")));

    assertThat(problem.family(inside("a", "b")))
        .extracting(claim -> claim.ref().name())
        .containsExactly("a", "b", "c");
    assertThat(problem.claims()).extracting(IndexedClaim::depth).containsExactly(2, 1, 1, 0, 0);
    assertThat(problem.claims())
        .extracting(IndexedClaim::parent)
        .containsExactly(false, true, true, false, false);
  }

  @Test
  void theParentsOfThousandsOfClaimsAreFoundAtOnce() {
    ImmutableList<ClaimRequest> chain =
        IntStream.range(0, MANY)
            .mapToObj(i -> i == 0 ? claim(name(0)) : inside(name(i), name(i - 1)))
            .collect(toImmutableList());

    assertThat(problem(chain).claims())
        .extracting(IndexedClaim::depth)
        .isEqualTo(IntStream.range(0, MANY).boxed().toList());
  }

  @Test
  void oneParentOfThousandsOfClaimsIsFoundAtOnce() {
    ImmutableList<ClaimRequest> claims =
        IntStream.range(0, 20 * MANY).mapToObj(i -> claim("c" + i)).collect(toImmutableList());

    assertThat(problem(claims).claims())
        .extracting(IndexedClaim::parent)
        .isEqualTo(Collections.nCopies(20 * MANY, false));
  }
}
