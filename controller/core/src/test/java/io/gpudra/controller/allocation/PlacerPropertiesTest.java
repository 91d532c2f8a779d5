package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.uid;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PlacerPropertiesTest {

  private static final String NODE = "n";

  /** A node, which of its devices somebody holds, and a batch of claims. */
  record Case(int devices, long occupied, List<Wanted> claims) {

    record Wanted(int count, long devices, AllocationPolicy policy) {}

    NodeLedger ledger() {
      return ledger(occupied);
    }

    NodeLedger ledger(long taken) {
      NodeLedger ledger = NodeLedger.of(inventory(devices));
      int[] held = IntStream.range(0, devices).filter(i -> (taken >> i & 1) == 1).toArray();
      return held.length == 0
          ? ledger
          : ledger.committed(
              Samples.ref("holder"), Samples.grant("holder", NODE, held), Samples.SOMEBODY_ELSE);
    }

    List<ClaimRequest> requests() {
      List<ClaimRequest> requests = new ArrayList<>();
      for (int i = 0; i < claims.size(); i++) {
        Wanted wanted = claims.get(i);
        requests.add(
            Samples.request(
                "c" + i, wanted.count(), new Among(wanted.devices(), "mask"), wanted.policy()));
      }
      return requests;
    }

    PodRequest pod() {
      return new PodRequest(ImmutableList.copyOf(requests()));
    }

    private static Inventory inventory(int devices) {
      ImmutableList.Builder<Gpu> gpus = ImmutableList.builder();
      for (int i = 0; i < devices; i++) {
        Gpu gpu = Samples.gpu(NODE, i, Samples.model("m" + i % 2, i % 2 == 0 ? 40 : 16));
        gpus.add(Samples.onNumaNode(gpu, i % 3));
      }
      return Samples.inventory(NODE, gpus.build());
    }
  }

  @Provide
  Arbitrary<Case> smallCases() {
    return cases(6, 3);
  }

  @Provide
  Arbitrary<Case> largeCases() {
    return cases(Long.SIZE, 8);
  }

  private static Arbitrary<Case> cases(int mostDevices, int mostClaims) {
    return Arbitraries.integers()
        .between(1, mostDevices)
        .flatMap(
            devices -> {
              Arbitrary<Case.Wanted> wanted =
                  Combinators.combine(
                          Arbitraries.integers().between(1, Math.max(1, devices / 2)),
                          Arbitraries.longs(),
                          Arbitraries.of(AllocationPolicy.values()))
                      .as(Case.Wanted::new);
              return Combinators.combine(
                      Arbitraries.longs(), wanted.list().ofMinSize(1).ofMaxSize(mostClaims))
                  .as((occupied, claims) -> new Case(devices, occupied, claims));
            });
  }

  @Property(tries = 2_000)
  void placesExactlyWhatBruteForceCanPlace(@ForAll("smallCases") Case given) {
    boolean possible = bruteForce(given, 0, given.occupied());

    assertThat(
            PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
                instanceof Placement.Fits)
        .isEqualTo(possible);
  }

  /** Tries every way to give claim after claim its devices one by one. */
  private static boolean bruteForce(Case given, int claim, long taken) {
    return claim == given.claims().size()
        || bruteForce(given, claim, given.claims().get(claim).count(), taken);
  }

  private static boolean bruteForce(Case given, int claim, int missing, long taken) {
    if (missing == 0) {
      return bruteForce(given, claim + 1, taken);
    }
    return IntStream.range(0, given.devices())
        .filter(i -> (given.claims().get(claim).devices() & ~taken & 1L << i) != 0)
        .anyMatch(i -> bruteForce(given, claim, missing - 1, taken | 1L << i));
  }

  @Property
  void givesEachClaimMatchingFreeDevicesOfItsOwn(@ForAll("largeCases") Case given) {
    if (PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
        instanceof Placement.Fits fits) {
      List<String> all = new ArrayList<>();
      for (int i = 0; i < given.claims().size(); i++) {
        List<String> devices = Samples.uuids(fits, "c" + i);
        assertThat(devices).hasSize(given.claims().get(i).count());
        assertThat(usable(given, given.claims().get(i))).containsAll(devices);
        all.addAll(devices);
      }
      assertThat(all).doesNotHaveDuplicates();
    }
  }

  private static List<String> usable(Case given, Case.Wanted wanted) {
    return IntStream.range(0, given.devices())
        .filter(i -> (wanted.devices() & ~given.occupied() & 1L << i) != 0)
        .mapToObj(i -> Samples.uuid(NODE, i))
        .toList();
  }

  @Property
  void answersTheSameWhateverTheOrderOfTheClaims(
      @ForAll("largeCases") Case given, @ForAll Random random) {
    List<ClaimRequest> shuffled = new ArrayList<>(given.requests());
    Collections.shuffle(shuffled, random);

    assertThat(
            PodPlacer.place(
                given.ledger(), new PodRequest(ImmutableList.copyOf(shuffled)), new SearchBudget()))
        .isEqualTo(PodPlacer.place(given.ledger(), given.pod(), new SearchBudget()));
  }

  @Property
  void neverRefusesBecauseMoreDevicesAreFree(
      @ForAll("largeCases") Case given, @ForAll long alsoFree) {
    if (PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
        instanceof Placement.Fits) {
      assertThat(
              PodPlacer.place(
                  given.ledger(given.occupied() & ~alsoFree), given.pod(), new SearchBudget()))
          .isInstanceOf(Placement.Fits.class);
    }
  }

  @Property
  void refusesWithoutChoosingWhatItRefusesWhenItChooses(@ForAll("largeCases") Case given) {
    Placement placement = PodPlacer.place(given.ledger(), given.pod(), new SearchBudget());

    assertThat(PodPlacer.refusal(given.ledger(), given.pod(), new SearchBudget()))
        .isEqualTo(
            placement instanceof Placement.DoesNotFit no ? Optional.of(no) : Optional.empty());
  }

  @Property
  void refusesWithAReasonForAtLeastOneClaimOfTheBatch(@ForAll("largeCases") Case given) {
    if (PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
        instanceof Placement.DoesNotFit no) {
      assertThat(no.reasons()).isNotEmpty();
      assertThat(claims(given)).containsAll(no.reasons().keySet());
      assertThat(no.reasons().values())
          .allSatisfy(one -> assertThat(one.text(Samples.READER)).isNotBlank());
    }
  }

  private static List<ClaimUid> claims(Case given) {
    return IntStream.range(0, given.claims().size()).mapToObj(i -> uid("c" + i)).toList();
  }

  @Property
  void keepsWhatTheBatchHoldsAlready(@ForAll("largeCases") Case given) {
    if (PodPlacer.place(given.ledger(), given.pod(), new SearchBudget())
        instanceof Placement.Fits fits) {
      NodeLedger ledger = given.ledger();
      for (ClaimRequest claim : given.pod().claims()) {
        ledger = ledger.committed(claim.ref(), grant(claim.uid(), fits.devices()), Samples.OWNER);
      }

      assertThat(PodPlacer.place(ledger, given.pod(), new SearchBudget())).isEqualTo(fits);
    }
  }

  private static Grant grant(
      ClaimUid claim, ImmutableMap<ClaimUid, ImmutableList<GrantedDevice>> devices) {
    return new Grant(
        claim,
        NODE,
        0,
        OptionalLong.empty(),
        Samples.STAMP.at(),
        requireNonNull(devices.get(claim)));
  }
}
