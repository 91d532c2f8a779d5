package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.A30;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.crds.testing.GpuModels.GIB;
import static io.gpudra.crds.testing.GpuModels.profile;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.Taints;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The search beside all there is to try, on nodes small enough for that. */
class PartitionPlacerPropertiesTest {
  private static final SharingStrategy SLOW =
      new SharingStrategy.TimeSlicing(SharingStrategy.Interval.LONG);

  /** A node by the MIG state of its GPUs, batches that came before, and one that is asked about. */
  record Case(List<MigState> gpus, List<ClaimRequest> before, List<ClaimRequest> claims) {

    NodeLedger ledger() {
      ImmutableList.Builder<Gpu> all = ImmutableList.builder();
      for (int i = 0; i < gpus.size(); i++) {
        all.add(gpu(i, A30, gpus.get(i)));
      }
      NodeLedger ledger = Worlds.node(all.build());
      for (ClaimRequest claim : before) {
        PodRequest alone = new PodRequest(ImmutableList.of(claim));
        Placement placement = PodPlacer.place(ledger, alone, new SearchBudget());
        ledger =
            placement instanceof Placement.Fits ? Worlds.with(ledger, alone, placement) : ledger;
      }
      return ledger;
    }

    PodRequest pod() {
      return new PodRequest(ImmutableList.copyOf(claims));
    }
  }

  @Provide
  Arbitrary<Case> cases() {
    MigState.Device existing = device("2g", 2, /* foreign= */ false);
    MigState.Device foreign = device("1g", 0, /* foreign= */ true);
    MigState.Device well = device("1g", 1, /* foreign= */ false);
    Arbitrary<MigState> mig =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.just(GpuModels.cuttable())),
            Tuple.of(2, Arbitraries.just(MigState.of(MigMode.DISABLED))),
            Tuple.of(
                1,
                Arbitraries.just(
                    new MigState(MigMode.ENABLED, true, ImmutableList.of(existing, foreign)))),
            Tuple.of(
                1,
                Arbitraries.just(
                    MigState.of(MigMode.ENABLED).with(ImmutableList.of(ill(existing), well)))));
    return Combinators.combine(
            mig.list().ofMinSize(1).ofMaxSize(3),
            claim().list().ofMaxSize(3),
            claim().list().ofMinSize(1).ofMaxSize(3))
        .as((gpus, before, claims) -> new Case(gpus, named("b", before), named("c", claims)));
  }

  private static MigState.Device ill(MigState.Device device) {
    return device.with(ImmutableList.of(Taints.noSchedule("xid")));
  }

  private static MigState.Device device(String profile, int start, boolean foreign) {
    return GrantFixture.migDevice("MIG-" + profile, GpuModels.slice(A30, profile, start), foreign);
  }

  private static List<ClaimRequest> named(
      String prefix, List<Function<String, ClaimRequest>> anonymous) {
    return IntStream.range(0, anonymous.size())
        .mapToObj(i -> anonymous.get(i).apply(prefix + i))
        .toList();
  }

  /** Of whatever name; some put up with whatever is wrong. */
  private static Arbitrary<Function<String, ClaimRequest>> claim() {
    return Combinators.combine(wish(), Arbitraries.of(true, false, false))
        .as(
            (subRequest, tolerant) ->
                name -> {
                  ClaimRequest claim =
                      Worlds.claim(
                          name,
                          new RequestAlternative(
                              ImmutableList.of(subRequest), DeviceConstraints.ANYHOW));
                  return tolerant ? claim.toleratingAll() : claim;
                });
  }

  private static Arbitrary<DeviceSubRequest> wish() {
    Arbitrary<DeviceKind> shapes =
        Arbitraries.of(
            new DeviceKind.Whole(),
            mig("1g"),
            mig("1g+me"),
            mig("2g"),
            mig("3g"),
            mig("4g"),
            new DeviceKind.Mig(Optional.empty()),
            new DeviceKind.Share(7 * GIB, 0, 100),
            new DeviceKind.Share(10 * GIB, 600, 200),
            new DeviceKind.Share(3 * GIB, 400, 100));
    return Combinators.combine(
            shapes,
            Arbitraries.integers().between(1, 2),
            Arbitraries.of(SharingStrategy.NONE, SLOW),
            Arbitraries.longs().between(1, 7))
        .as(
            (kind, count, sharing, gpus) ->
                new DeviceSubRequest(
                    Optional.empty(), count, false, kind, new Among(gpus), sharing));
  }

  private static DeviceKind mig(String profile) {
    return new DeviceKind.Mig(Optional.of(profile));
  }

  @Property(tries = 300)
  void aBatchIsPlacedExactlyWhenThereIsAWay(@ForAll("cases") Case given) {
    NodeLedger ledger = given.ledger();
    assertThat(PodPlacer.place(ledger, given.pod(), new SearchBudget()) instanceof Placement.Fits)
        .isEqualTo(new BruteForce(ledger).serves(given.claims()));
  }

  @Property(tries = 300)
  void whatIsPlacedFitsBesideWhatIsHeld(@ForAll("cases") Case given) {
    NodeLedger ledger = given.ledger();
    Placement placement = PodPlacer.place(ledger, given.pod(), new SearchBudget());
    if (placement instanceof Placement.Fits) {
      assertThat(Worlds.with(ledger, given.pod(), placement).usages())
          .allMatch(usage -> usage.conflict().isEmpty());
    }
  }

  @Property(tries = 300)
  void theOrderOfTheClaimsMakesNoDifference(@ForAll("cases") Case given, @ForAll Random random) {
    List<ClaimRequest> shuffled = new ArrayList<>(given.claims());
    Collections.shuffle(shuffled, random);
    PodRequest other = new PodRequest(ImmutableList.copyOf(shuffled));
    NodeLedger ledger = given.ledger();
    assertThat(PodPlacer.place(ledger, other, new SearchBudget()))
        .isEqualTo(PodPlacer.place(ledger, given.pod(), new SearchBudget()));
  }

  @Property(tries = 300)
  void moreRoomNeverTurnsYesIntoNo(@ForAll("cases") Case given) {
    Case empty = new Case(given.gpus(), List.of(), given.claims());
    if (PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
        instanceof Placement.Fits) {
      assertThat(PodPlacer.place(empty.ledger(), given.pod(), new SearchBudget()))
          .isInstanceOf(Placement.Fits.class);
    }
  }

  @Property(tries = 300)
  void eachRefusalHasAText(@ForAll("cases") Case given) {
    if (PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
        instanceof Placement.DoesNotFit no) {
      assertThat(no.reasons()).isNotEmpty();
      assertThat(no.reasons().values())
          .allMatch(reason -> !reason.text(new NamespaceAudience("team")).isEmpty());
    }
  }
}
