package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A node with links beside the same without: what is chosen is worth the same in all else. */
class LinkedPropertiesTest {
  private static final GpuModel LARGE =
      GpuModels.model("large", 80, GpuModels.A100.migProfiles().toArray(MigProfile[]::new));

  /** A GPU by its model and MIG state; its NUMA node. */
  record Made(GpuModel model, MigState mig, int numaNode) {

    Gpu gpu(int index) {
      return Worlds.gpu(index, model, mig).toBuilder().pcieRoot("").numaNode(numaNode).build();
    }
  }

  /** A node, which GPUs are linked, what was granted before, and who asks now. */
  record Case(
      List<Made> gpus, List<GpuLink> links, List<ClaimRequest> before, List<ClaimRequest> claims) {

    NodeLedger bare() {
      NodeLedger ledger = Worlds.node(all());
      for (ClaimRequest claim : before) {
        Placement placement = PodPlacer.place(ledger, Worlds.pod(claim), new SearchBudget());
        ledger =
            placement instanceof Placement.Fits
                ? Worlds.with(ledger, Worlds.pod(claim), placement)
                : ledger;
      }
      return ledger;
    }

    /** With the same held. */
    NodeLedger linked(List<GpuLink> some) {
      NodeLedger ledger = Worlds.node(all(), some.toArray(GpuLink[]::new));
      NodeLedger bare = bare();
      for (ClaimRequest claim : before) {
        if (bare.holds().containsKey(claim.uid())) {
          ImmutableList<GrantedDevice> devices =
              Objects.requireNonNull(bare.holds().get(claim.uid()))
                  .devices()
                  .distinct()
                  .collect(toImmutableList());
          ledger =
              ledger.committed(
                  claim.ref(),
                  GrantFixture.grant(claim.uid(), "node", devices),
                  new HoldOwner("test"));
        }
      }
      return ledger;
    }

    PodRequest pod() {
      return new PodRequest(ImmutableList.copyOf(claims));
    }

    private ImmutableList<Gpu> all() {
      return IntStream.range(0, gpus.size())
          .mapToObj(i -> gpus.get(i).gpu(i))
          .collect(toImmutableList());
    }
  }

  @Provide
  Arbitrary<Case> plain() {
    return cases(wish(Arbitraries.just(new DeviceKind.Whole())).list().ofSize(1));
  }

  @Provide
  Arbitrary<Case> mixed() {
    Arbitrary<DeviceKind> shapes =
        Arbitraries.of(
            new DeviceKind.Whole(),
            new DeviceKind.Whole(),
            new DeviceKind.Share(7 * GpuModels.GIB, 0, 100),
            new DeviceKind.Share(15 * GpuModels.GIB, 400, 100),
            new DeviceKind.Mig(Optional.of("1g.5gb")),
            new DeviceKind.Mig(Optional.of("3g.20gb")),
            new DeviceKind.Mig(Optional.empty()));
    return cases(wish(shapes).list().ofMinSize(1).ofMaxSize(2));
  }

  private static Arbitrary<Case> cases(Arbitrary<List<DeviceSubRequest>> wishes) {
    Arbitrary<Made> gpu =
        Combinators.combine(
                Arbitraries.of(GpuModels.A100, GpuModels.A100, LARGE),
                Arbitraries.of(GpuModels.cuttable(), GpuModels.cuttable(), GpuModels.enabled()),
                Arbitraries.of(0, 0, 1))
            .as(Made::new);
    Arbitrary<GpuLink> link =
        Arbitraries.integers()
            .between(0, 7)
            .set()
            .ofMinSize(2)
            .ofMaxSize(4)
            .map(
                ends ->
                    new GpuLink(
                        ends.stream().map(i -> "GPU-" + i).collect(ImmutableSet.toImmutableSet()),
                        GpuLink.Type.NVLINK,
                        1));
    Arbitrary<Function<String, ClaimRequest>> claim =
        Combinators.combine(wishes, Arbitraries.of(AllocationPolicy.values()))
            .as(
                (some, policy) ->
                    name ->
                        Worlds.claim(
                            name,
                            policy,
                            Worlds.alternative(
                                DeviceConstraints.ANYHOW, some.toArray(DeviceSubRequest[]::new))));
    return Combinators.combine(
            gpu.list().ofMinSize(2).ofMaxSize(8),
            link.list().ofMaxSize(6),
            claim.list().ofMaxSize(2),
            claim.list().ofMinSize(1).ofMaxSize(3))
        .as(
            (gpus, links, before, claims) ->
                new Case(gpus, links, named("b", before), named("c", claims)));
  }

  private static List<ClaimRequest> named(
      String prefix, List<Function<String, ClaimRequest>> anonymous) {
    return IntStream.range(0, anonymous.size())
        .mapToObj(i -> anonymous.get(i).apply(prefix + i))
        .toList();
  }

  private static Arbitrary<DeviceSubRequest> wish(Arbitrary<DeviceKind> shapes) {
    Arbitrary<Long> gpus = Arbitraries.of(-1L, -1L, -1L, 0b0011_1110L, 0b1101_0111L);
    return Combinators.combine(shapes, Arbitraries.integers().between(1, 4), gpus)
        .as((kind, count, some) -> Worlds.wish(count, kind, new Among(some)));
  }

  @Property
  void aLinkCostsNoLargerGpuNoModeAndNoNumaNode(@ForAll("plain") Case given) {
    NodeLedger bare = after(given.bare(), given);

    NodeLedger linked = after(given.linked(given.links()), given);

    assertThat(worth(linked)).isEqualTo(worth(bare));
    assertThat(numaNodes(linked)).isEqualTo(numaNodes(bare));
  }

  @Property
  void aLinkChangesNothingThatIsLeft(@ForAll("mixed") Case given) {
    assertThat(worth(after(given.linked(given.links()), given)))
        .isEqualTo(worth(after(given.bare(), given)));
  }

  @Property
  void eachClaimGetsAsManyDevicesOfTheSameKinds(@ForAll("mixed") Case given) {
    NodeLedger bare = after(given.bare(), given);
    NodeLedger linked = after(given.linked(given.links()), given);

    for (ClaimRequest claim : given.claims()) {
      assertThat(kinds(linked, claim)).isEqualTo(kinds(bare, claim));
    }
  }

  @Property
  void whoAsksAloneIsNoLessLinked(@ForAll("mixed") Case given) {
    Case alone =
        new Case(given.gpus(), given.links(), given.before(), given.claims().subList(0, 1));
    ClaimRequest claim = alone.claims().get(0);

    assertThat(pairs(after(alone.linked(given.links()), alone), claim, given))
        .isGreaterThanOrEqualTo(pairs(after(alone.bare(), alone), claim, given));
  }

  @Property
  void theOrderOfLinksDoesNotMatter(@ForAll("mixed") Case given) {
    NodeLedger reversed = after(given.linked(Lists.reverse(given.links())), given);
    NodeLedger linked = after(given.linked(given.links()), given);

    assertThat(given.claims())
        .allSatisfy(
            claim -> assertThat(devices(reversed, claim)).isEqualTo(devices(linked, claim)));
  }

  private static NodeLedger after(NodeLedger ledger, Case given) {
    Placement placement = PodPlacer.place(ledger, given.pod(), new SearchBudget());
    return placement instanceof Placement.Fits
        ? Worlds.with(ledger, given.pod(), placement)
        : ledger;
  }

  /** Of each GPU, whichever it is, what it is and what is taken of it. */
  private static ImmutableMultiset<?> worth(NodeLedger ledger) {
    return IntStream.range(0, ledger.inventory().gpus().size())
        .mapToObj(
            i ->
                ImmutableList.of(
                    ledger.inventory().gpus().get(i).model(),
                    ledger.inventory().gpus().get(i).mig(),
                    ledger.usages().get(i).holdings().stream()
                        .map(holding -> holding.part().part())
                        .collect(toImmutableMultiset())))
        .collect(toImmutableMultiset());
  }

  /** How many GPUs of each are in use. */
  private static ImmutableMultiset<Long> numaNodes(NodeLedger ledger) {
    return Stream.of(0, 1)
        .map(
            numaNode ->
                IntStream.range(0, ledger.inventory().gpus().size())
                    .filter(i -> ledger.inventory().gpus().get(i).numaNode() == numaNode)
                    .filter(i -> (ledger.freeMask() >> i & 1) == 0)
                    .count())
        .collect(toImmutableMultiset());
  }

  private static ImmutableList<GrantedDevice> devices(NodeLedger ledger, ClaimRequest claim) {
    return Optional.ofNullable(ledger.holds().get(claim.uid())).stream()
        .flatMap(hold -> hold.devices().distinct())
        .collect(toImmutableList());
  }

  private static ImmutableMultiset<?> kinds(NodeLedger ledger, ClaimRequest claim) {
    return devices(ledger, claim).stream()
        .map(
            device ->
                ImmutableList.of(
                    ledger.inventory().gpus().stream()
                        .filter(gpu -> gpu.uuid().equals(device.uuid()))
                        .map(gpu -> ImmutableList.of(gpu.model(), gpu.mig()))
                        .findFirst()
                        .orElseThrow(),
                    device.part().part()))
        .collect(toImmutableMultiset());
  }

  /** Pairs of GPUs that the claim has something of, no MIG device, and that are linked. */
  private static long pairs(NodeLedger ledger, ClaimRequest claim, Case given) {
    List<String> uuids =
        devices(ledger, claim).stream()
            .filter(device -> !(device.part().part() instanceof Part.Slice))
            .map(GrantedDevice::uuid)
            .toList();
    return uuids.stream()
        .mapToLong(
            one ->
                uuids.stream()
                    .filter(other -> one.compareTo(other) < 0)
                    .filter(
                        other ->
                            given.links().stream()
                                .anyMatch(
                                    link ->
                                        link.gpuUuids().contains(one)
                                            && link.gpuUuids().contains(other)))
                    .count())
        .sum();
  }
}
