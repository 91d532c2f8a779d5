package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.A30;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.inside;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.enabled;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Devices out of devices, beside all there is to try, on nodes small enough for that. */
class NestedPropertiesTest {

  /**
   * A claim.
   *
   * @param parent which of those before it in its pod, or in the pod before, it is inside of
   */
  record Member(DeviceSubRequest subRequest, OptionalInt parent) {}

  /** A pod that came before, and one that is asked about. */
  record Case(List<MigState> modes, List<Member> before, List<Member> members) {

    NodeLedger ledger() {
      ImmutableList.Builder<Gpu> all = ImmutableList.builder();
      for (int i = 0; i < modes.size(); i++) {
        all.add(gpu(i, A30, modes.get(i)));
      }
      NodeLedger empty = Worlds.node(all.build());
      PodRequest first = new PodRequest(ImmutableList.copyOf(claims("b", before, List.of())));
      Placement placement = PodPlacer.place(empty, first, new SearchBudget());
      return placement instanceof Placement.Fits ? Worlds.with(empty, first, placement) : empty;
    }

    List<ClaimRequest> claims() {
      return claims("c", members, claims("b", before, List.of()));
    }

    private static List<ClaimRequest> claims(
        String prefix, List<Member> members, List<ClaimRequest> others) {
      List<ClaimRequest> claims = new ArrayList<>();
      for (Member member : members) {
        ClaimRequest bare = claim(prefix + claims.size(), member.subRequest());
        List<ClaimRequest> parents = new ArrayList<>(others);
        parents.addAll(claims);
        boolean nested = member.parent().isPresent() && !parents.isEmpty();
        claims.add(
            nested ? inside(parents.get(member.parent().getAsInt() % parents.size()), bare) : bare);
      }
      return claims;
    }

    PodRequest pod() {
      return new PodRequest(ImmutableList.copyOf(claims()));
    }
  }

  @Provide
  Arbitrary<Case> cases() {
    Arbitrary<MigState> modes = Arbitraries.of(enabled(), enabled(), GpuModels.cuttable());
    return Combinators.combine(modes.list().ofMinSize(1).ofMaxSize(2), pods(3), pods(4))
        .as(Case::new);
  }

  private static Arbitrary<List<Member>> pods(int most) {
    Arbitrary<Member> first =
        Arbitraries.of(whole(1), mig("2g", 1), mig("4g", 1), whole(2), mig("2g", 2))
            .map(subRequest -> new Member(subRequest, OptionalInt.empty()));
    Arbitrary<Member> next =
        Combinators.combine(
                Arbitraries.of(
                    mig("1g", 1),
                    mig("2g", 1),
                    mig("3g", 1),
                    mig("1c.2g", 1),
                    mig("1c.2g", 2),
                    mig("1c.2g", 3),
                    mig("2c.4g", 1),
                    mig("2c.4g", 3),
                    mig("1g", 3)),
                Arbitraries.integers().between(-1, 3))
            .as((subRequest, parent) -> new Member(subRequest, parent(parent)));
    return Combinators.combine(first, next.list().ofMaxSize(most - 1))
        .as((one, others) -> ImmutableList.<Member>builder().add(one).addAll(others).build());
  }

  private static OptionalInt parent(int number) {
    return number < 0 ? OptionalInt.empty() : OptionalInt.of(number);
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void aBatchIsPlacedExactlyWhenThereIsAWay(@ForAll("cases") Case given) {
    NodeLedger ledger = given.ledger();
    assertThat(PodPlacer.place(ledger, given.pod(), new SearchBudget()) instanceof Placement.Fits)
        .isEqualTo(new BruteForce(ledger).serves(given.claims()));
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void whatIsPlacedFitsBesideWhatIsHeld(@ForAll("cases") Case given) {
    NodeLedger ledger = given.ledger();
    Placement placement = PodPlacer.place(ledger, given.pod(), new SearchBudget());
    if (placement instanceof Placement.Fits) {
      assertThat(Worlds.with(ledger, given.pod(), placement).usages())
          .allMatch(usage -> usage.conflict().isEmpty());
    }
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void eachRefusalHasAText(@ForAll("cases") Case given) {
    if (PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
        instanceof Placement.DoesNotFit no) {
      assertThat(no.reasons()).isNotEmpty();
      assertThat(no.reasons().values())
          .allMatch(reason -> !reason.text(new NamespaceAudience("team")).isEmpty());
    }
  }
}
